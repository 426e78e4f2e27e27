/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `author`;
CREATE TABLE `author` (
  `author_id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s; a key',
  `name` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  `kind` enum('a','b,c') DEFAULT 'a', `flags` set('x','y'), `born` datetime(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `price` decimal(9,2) unsigned zerofill DEFAULT 1.50, `data` json DEFAULT NULL CHECK (json_valid(`data`)), `is_old` tinyint(1) DEFAULT b'0',
  PRIMARY KEY (`author_id`), UNIQUE KEY `by_name` (`name`(10)), FULLTEXT KEY `words` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC
/*!50100 PARTITION BY HASH (author_id) PARTITIONS 4 */;
CREATE TABLE book (
  book_id BIGINT PRIMARY KEY, author_id INT UNSIGNED, pages YEAR(4), body LONGTEXT, total INT AS (author_id + 1) VIRTUAL,
  KEY (author_id), CONSTRAINT fk FOREIGN KEY (author_id) REFERENCES author (author_id) ON DELETE SET NULL ON UPDATE CASCADE
);
ALTER TABLE book ADD COLUMN isbn CHAR(13) FIRST, ADD UNIQUE INDEX (isbn), MODIFY pages SMALLINT NOT NULL;
DELIMITER ;;
CREATE TRIGGER t BEFORE INSERT ON book FOR EACH ROW BEGIN SET NEW.pages = 1; END ;;
DELIMITER ;
LOCK TABLES `author` WRITE;
INSERT INTO `author` VALUES (1,'Ada','a','x','1815-12-10 00:00:00',2.50,'{}',0);
UNLOCK TABLES;
