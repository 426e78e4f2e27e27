// A value that is not there is undefined, as NULL is a field that is missing.
const isPlain = value => value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
const parameter = value => value === null ? undefined : value;
const orNull = value => value === undefined ? null : value;
const whole = fields => Object.values(fields).includes(undefined) ? undefined : fields;
function negated(value) {
  if (typeof value === "number") return -value;
  if (value === undefined || typeof value.negate === "function") return value?.negate();
  const text = value.toString();
  return NumberDecimal(text.startsWith("-") ? text.slice(1) : "-" + text);
}
function document_(value) {
  if (Array.isArray(value)) return value.filter(inner => inner !== undefined).map(document_);
  if (!isPlain(value)) return value;
  const there = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(there.map(([name, inner]) => [name, document_(inner)]));
}
function part(fields, rest) {
  const others = isPlain(rest) ? rest : {}, groups = new Map(), made = {};
  for (const [path, value] of Object.entries(fields)) {
    const dot = path.indexOf("."), first = dot < 0 ? path : path.slice(0, dot);
    if (!groups.has(first)) groups.set(first, {});
    groups.get(first)[dot < 0 ? "" : path.slice(dot + 1)] = value;
  }
  for (const [name, group] of groups) {
    if ("" in group) {
      if (group[""] !== undefined) made[name] = document_(group[""]);
    } else {
      const inner = part(group, others[name]);
      if (Object.keys(inner).length) made[name] = inner;
    }
  }
  for (const [name, value] of Object.entries(others)) if (!groups.has(name)) made[name] = value;
  return made;
}
function compared(condition, path) {
  const made = {};
  for (const [operator, value] of Object.entries(condition)) {
    if (value !== undefined) made[operator] = document_(value);
    else if (operator !== "$eq" && operator !== "$ne") made.$in = [];
    else if (path === "_id") made.$exists = operator === "$ne";
    else made[operator] = null;
  }
  return made;
}
function matching(conditions) {
  const made = ([path, condition]) => [path, path === "$and" ? condition.map(matching) : compared(condition, path)];
  return Object.fromEntries(Object.entries(conditions).map(made));
}
function pulled(condition) {
  return Object.keys(condition).some(name => name[0] === "$" && name !== "$and") ? compared(condition) : matching(condition);
}
function changes(operators) {
  const made = {}, put = (operator, path, value) => { (made[operator] ??= {})[path] = value; };
  for (const [operator, fields] of Object.entries(operators)) {
    for (const [path, value] of Object.entries(fields)) {
      if (operator === "$pull") put(operator, path, pulled(value));
      else if (value !== undefined) put(operator, path, document_(value));
      else if (operator === "$set") put("$unset", path, "");
    }
  }
  return Object.keys(made).length ? made : {$set: {}};
}
// A row of an aggregation's own without its NULLs.
function present(row) {
  const isThere = ([, value]) => !(isPlain(value) && "$literal" in value && value.$literal === null);
  return Object.fromEntries(Object.entries(row).filter(isThere));
}
function rowsOf(found, json = []) {
  const there = ([name, value]) => value !== null || json.includes(name);
  return found.map(row => Object.fromEntries(Object.entries(row).filter(there)));
}
// What tells a value from others: relaxed JSON would make one double of two large whole numbers.
const asKey = value => EJSON.stringify({value}, {relaxed: false});
// The values of a column in row sets, each once.
function valuesOf(column, ...sets) {
  const values = sets.flat().map(row => row[column]).filter(value => value !== undefined);
  return [...new Map(values.map(value => [asKey(value), value])).values()];
}
// Of the rows that are alike in these columns the first, with lists of what all of them have in those that are gathered.
function firstOfEach(columns, rows, gathered = []) {
  const found = new Map();
  for (const row of rows) {
    const alike = asKey(Object.fromEntries(columns.filter(column => column in row).map(column => [column, row[column]])));
    if (!found.has(alike)) found.set(alike, {...row, ...Object.fromEntries(gathered.map(column => [column, []]))});
    for (const column of gathered) found.get(alike)[column].push(orNull(row[column]));
  }
  return [...found.values()];
}
// The rows that a read finds by the values it found last, as long as it finds new ones.
function newRows(column, first, read) {
  const seen = new Set(first.map(value => asKey(value))), kept = [];
  for (let last = first; last.length;) {
    const found = new Map(read(last).map(row => [asKey(row[column]), row]));
    const fresh = [...found].filter(([value]) => !seen.has(value));
    for (const [value, row] of fresh) { seen.add(value); kept.push(row); }
    last = fresh.map(([, row]) => row[column]);
  }
  return kept;
}
// The next numbers of a counter, above the highest there is. They are taken outside of transactions, and never again.
function nextNumbers(counter, count, there, field) {
  const counters = db.getCollection("_nestling_numbers");
  const highest = there.length && there[0][field] !== undefined ? Number(there[0][field]) : null;
  const stored = number => Math.abs(number) < 2 ** 31 ? NumberInt(number) : NumberLong(String(number));
  for (;;) {
    const options = {upsert: true, returnDocument: "after", writeConcern: {w: 1}};
    const last = Number(counters.findOneAndUpdate({_id: counter}, {$inc: {last: NumberInt(count)}}, options).last);
    if (highest === null || last - count >= highest) {
      return Array.from({length: count}, (_, place) => stored(last - count + 1 + place));
    }
    counters.updateOne({_id: counter}, {$max: {last: stored(highest)}}, {upsert: true});
  }
}
// The first and the last of as many next numbers as were counted. For no rows none is taken.
function numbersForRows(counter, counted, there, field) {
  const count = counted.length ? Number(counted[0].count) : 0;
  if (!count) return [NumberInt(1), NumberInt(0)];
  const numbers = nextNumbers(counter, count, there, field);
  return [numbers[0], numbers[count - 1]];
}
// What a collation finds all texts by that have the same small letters. It may tell some letters from their capitals, or not know them.
function spellings(text) {
  if (text === null) return [];
  const apart = /[\u{131}\u{26A}\u{282}\u{345}\u{10D0}-\u{10FF}\u{1C80}-\u{1C88}\u{1C90}-\u{1CBF}\u{1D8E}\u{2C2F}\u{2C5F}\u{A794}\u{A7AE}\u{A7B8}-\u{A7F6}\u{104B0}-\u{104FB}\u{10570}-\u{105BC}\u{16E40}-\u{16E7F}\u{1E900}-\u{1E943}\u{19B}\u{264}\u{1C89}-\u{1C8A}\u{A7CB}-\u{A7CF}\u{A7D2}-\u{A7D5}\u{A7DA}-\u{A7DC}\u{10D50}-\u{10D65}\u{10D70}-\u{10D85}\u{16EA0}-\u{16EB8}\u{16EBB}-\u{16ED3}]/u;
  return apart.test(text) ? [/(?:)/] : [text];
}
function place(row, column, first) {
  const number = Number(row[column]);
  if (row[column] === undefined || !Number.isInteger(number) || number < first) {
    throw new Error(`there is no place ${row[column]} in the array`);
  }
  return number - first;
}
function refuse(rows, text, missing = []) {
  for (const row of rows) {
    const lacking = missing.filter(column => row[column] === undefined).map(column => column.replace(/^new_/, ""));
    if (lacking.length || !missing.length) throw new Error(text + lacking.map(name => `, ${name} is NULL`).join(""));
  }
}
