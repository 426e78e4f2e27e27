"""The 22 questions as an expert would put them to the collections of the normalized design, written from their meaning.

Each is (collection, pipeline); the fields are named as the SQL names its columns. The rules an expert goes by: start at the
smallest set, match before joining, join what multiplies rows last, group before looking up what only names the groups, and let
an index serve every lookup.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bson import Decimal128

Stage = dict[str, Any]
Pipeline = list[Stage]

REVENUE: Stage = {"$multiply": ["$l.l_extendedprice", {"$subtract": [1, "$l.l_discount"]}]}
OWN_REVENUE: Stage = {"$multiply": ["$l_extendedprice", {"$subtract": [1, "$l_discount"]}]}


def day(text: str) -> datetime:
    """A date as it is stored."""
    return datetime.fromisoformat(text)


def between(first: str, end: str) -> Stage:
    """From the first day to before the other."""
    return {"$gte": day(first), "$lt": day(end)}


def join(collection: str, local: str, foreign: str, name: str, *inner: Stage) -> Pipeline:
    """Each document with each it finds."""
    lookup: Stage = {"from": collection, "localField": local, "foreignField": foreign, "as": name}
    if inner:
        lookup["pipeline"] = list(inner)
    return [{"$lookup": lookup}, {"$unwind": f"${name}"}]


def shown(**fields: Any) -> Stage:
    """The result's documents."""
    return {"$project": {"_id": 0, **fields}}


def _q01() -> tuple[str, Pipeline]:
    price, discounted = "$l_extendedprice", OWN_REVENUE
    charge = {"$multiply": [discounted, {"$add": [1, "$l_tax"]}]}
    group: Stage = {"_id": {"flag": "$l_returnflag", "status": "$l_linestatus"}, "sum_qty": {"$sum": "$l_quantity"}}
    group |= {"sum_base_price": {"$sum": price}, "sum_disc_price": {"$sum": discounted}, "sum_charge": {"$sum": charge}}
    group |= {"avg_qty": {"$avg": "$l_quantity"}, "avg_price": {"$avg": price}, "avg_disc": {"$avg": "$l_discount"}}
    group |= {"count_order": {"$sum": 1}}
    names = [name for name in group if name != "_id"]
    return "lineitem", [
        {"$match": {"l_shipdate": {"$lte": day("1998-09-02")}}},
        {"$group": group},
        {"$sort": {"_id": 1}},
        shown(l_returnflag="$_id.flag", l_linestatus="$_id.status", **dict.fromkeys(names, 1)),
    ]


def _q02() -> tuple[str, Pipeline]:
    european = [
        *join("nation", "s.s_nationkey", "_id", "n"),
        *join("region", "n.n_regionkey", "_id", "r", {"$match": {"r_name": "EUROPE"}}),
    ]
    fields = {
        "s_acctbal": "$s.s_acctbal",
        "s_name": "$s.s_name",
        "n_name": "$n.n_name",
        "p_partkey": "$_id",
        "p_mfgr": 1,
    }
    fields |= {"s_address": "$s.s_address", "s_phone": "$s.s_phone", "s_comment": "$s.s_comment"}
    return "part", [
        {"$match": {"p_size": 15, "p_type": {"$regex": r"BRASS\Z"}}},
        *join("partsupp", "_id", "_id.ps_partkey", "ps"),
        *join("supplier", "ps._id.ps_suppkey", "_id", "s"),
        *european,
        {"$setWindowFields": {"partitionBy": "$_id", "output": {"least": {"$min": "$ps.ps_supplycost"}}}},
        {"$match": {"$expr": {"$eq": ["$ps.ps_supplycost", "$least"]}}},
        {"$sort": {"s.s_acctbal": -1, "n.n_name": 1, "s.s_name": 1, "_id": 1}},
        {"$limit": 100},
        shown(**fields),
    ]


def _q03() -> tuple[str, Pipeline]:
    late = {"$match": {"l_shipdate": {"$gt": day("1995-03-15")}}}
    return "customer", [
        {"$match": {"c_mktsegment": "BUILDING"}},
        *join("orders", "_id", "o_custkey", "o", {"$match": {"o_orderdate": {"$lt": day("1995-03-15")}}}),
        *join("lineitem", "o._id", "_id.l_orderkey", "l", late),
        {"$group": {"_id": "$o._id", "revenue": {"$sum": REVENUE}, "o": {"$first": "$o"}}},
        {"$sort": {"revenue": -1, "o.o_orderdate": 1}},
        {"$limit": 10},
        shown(l_orderkey="$_id", revenue=1, o_orderdate="$o.o_orderdate", o_shippriority="$o.o_shippriority"),
    ]


def _q04() -> tuple[str, Pipeline]:
    late = {"$match": {"$expr": {"$lt": ["$l_commitdate", "$l_receiptdate"]}}}
    return "orders", [
        {"$match": {"o_orderdate": between("1993-07-01", "1993-10-01")}},
        *join("lineitem", "_id", "_id.l_orderkey", "l", late, {"$limit": 1}),
        {"$group": {"_id": "$o_orderpriority", "order_count": {"$sum": 1}}},
        {"$sort": {"_id": 1}},
        shown(o_orderpriority="$_id", order_count=1),
    ]


def _q05() -> tuple[str, Pipeline]:
    return "region", [
        {"$match": {"r_name": "ASIA"}},
        *join("nation", "_id", "n_regionkey", "n"),
        *join("customer", "n._id", "c_nationkey", "c"),
        *join("orders", "c._id", "o_custkey", "o", {"$match": {"o_orderdate": between("1994-01-01", "1995-01-01")}}),
        *join("lineitem", "o._id", "_id.l_orderkey", "l"),
        *join("supplier", "l.l_suppkey", "_id", "s"),
        {"$match": {"$expr": {"$eq": ["$s.s_nationkey", "$n._id"]}}},
        {"$group": {"_id": "$n.n_name", "revenue": {"$sum": REVENUE}}},
        {"$sort": {"revenue": -1}},
        shown(n_name="$_id", revenue=1),
    ]


def _q06() -> tuple[str, Pipeline]:
    conditions = {"l_shipdate": between("1994-01-01", "1995-01-01"), "l_quantity": {"$lt": 24}}
    conditions["l_discount"] = {"$gte": Decimal128("0.05"), "$lte": Decimal128("0.07")}
    return "lineitem", [
        {"$match": conditions},
        {"$group": {"_id": None, "revenue": {"$sum": {"$multiply": ["$l_extendedprice", "$l_discount"]}}}},
        shown(revenue=1),
    ]


def _q07() -> tuple[str, Pipeline]:
    """From the suppliers of both countries; the year's revenue by supplier's and customer's key before anything is named."""
    both = {"$match": {"n_name": {"$in": ["FRANCE", "GERMANY"]}}}
    dates = {"$match": {"l_shipdate": {"$gte": day("1995-01-01"), "$lte": day("1996-12-31")}}}
    return "nation", [
        both,
        *join("supplier", "_id", "s_nationkey", "s"),
        *join("lineitem", "s._id", "l_suppkey", "l", dates),
        *join("orders", "l._id.l_orderkey", "_id", "o"),
        *join("customer", "o.o_custkey", "_id", "c"),
        *join("nation", "c.c_nationkey", "_id", "n", both),
        {"$match": {"$expr": {"$ne": ["$n_name", "$n.n_name"]}}},
        {
            "$group": {
                "_id": {"s": "$n_name", "c": "$n.n_name", "y": {"$year": "$l.l_shipdate"}},
                "revenue": {"$sum": REVENUE},
            }
        },
        {"$sort": {"_id": 1}},
        shown(supp_nation="$_id.s", cust_nation="$_id.c", l_year="$_id.y", revenue=1),
    ]


def _q08() -> tuple[str, Pipeline]:
    dates = {"$match": {"o_orderdate": {"$gte": day("1995-01-01"), "$lte": day("1996-12-31")}}}
    brazil = {"$cond": [{"$eq": ["$m.n_name", "BRAZIL"]}, REVENUE, 0]}
    group = {"_id": {"$year": "$o.o_orderdate"}, "brazil": {"$sum": brazil}, "all": {"$sum": REVENUE}}
    return "part", [
        {"$match": {"p_type": "ECONOMY BRASS"}},
        *join("lineitem", "_id", "l_partkey", "l"),
        *join("orders", "l._id.l_orderkey", "_id", "o", dates),
        *join("customer", "o.o_custkey", "_id", "c"),
        *join("nation", "c.c_nationkey", "_id", "n"),
        *join("region", "n.n_regionkey", "_id", "r", {"$match": {"r_name": "AMERICA"}}),
        *join("supplier", "l.l_suppkey", "_id", "s"),
        *join("nation", "s.s_nationkey", "_id", "m"),
        {"$group": group},
        {"$sort": {"_id": 1}},
        shown(o_year="$_id", mkt_share={"$divide": ["$brazil", "$all"]}),
    ]


def _q09() -> tuple[str, Pipeline]:
    amount = {"$subtract": [REVENUE, {"$multiply": ["$ps.ps_supplycost", "$l.l_quantity"]}]}
    return "part", [
        {"$match": {"p_name": {"$regex": "green"}}},
        *join("lineitem", "_id", "l_partkey", "l"),
        {"$set": {"key": {"ps_partkey": "$l.l_partkey", "ps_suppkey": "$l.l_suppkey"}}},
        *join("partsupp", "key", "_id", "ps"),
        *join("orders", "l._id.l_orderkey", "_id", "o"),
        {"$group": {"_id": {"s": "$l.l_suppkey", "y": {"$year": "$o.o_orderdate"}}, "profit": {"$sum": amount}}},
        *join("supplier", "_id.s", "_id", "s"),
        *join("nation", "s.s_nationkey", "_id", "n"),
        {"$group": {"_id": {"n": "$n.n_name", "y": "$_id.y"}, "sum_profit": {"$sum": "$profit"}}},
        {"$sort": {"_id.n": 1, "_id.y": -1}},
        shown(nation="$_id.n", o_year="$_id.y", sum_profit=1),
    ]


def _q10() -> tuple[str, Pipeline]:
    names = ("c_name", "c_acctbal", "c_address", "c_phone", "c_comment")
    return "orders", [
        {"$match": {"o_orderdate": between("1993-10-01", "1994-01-01")}},
        *join("lineitem", "_id", "_id.l_orderkey", "l", {"$match": {"l_returnflag": "R"}}),
        {"$group": {"_id": "$o_custkey", "revenue": {"$sum": REVENUE}}},
        {"$sort": {"revenue": -1}},
        {"$limit": 20},
        *join("customer", "_id", "_id", "c"),
        *join("nation", "c.c_nationkey", "_id", "n"),
        shown(c_custkey="$_id", n_name="$n.n_name", revenue=1, **{name: f"$c.{name}" for name in names}),
    ]


def _q11() -> tuple[str, Pipeline]:
    value = {"$multiply": ["$ps.ps_supplycost", "$ps.ps_availqty"]}
    least = {"$multiply": ["$all", Decimal128("0.005")]}
    return "nation", [
        {"$match": {"n_name": "GERMANY"}},
        *join("supplier", "_id", "s_nationkey", "s"),
        *join("partsupp", "s._id", "_id.ps_suppkey", "ps"),
        {"$group": {"_id": "$ps._id.ps_partkey", "value": {"$sum": value}}},
        {"$setWindowFields": {"output": {"all": {"$sum": "$value"}}}},
        {"$match": {"$expr": {"$gt": ["$value", least]}}},
        {"$sort": {"value": -1}},
        shown(ps_partkey="$_id", value=1),
    ]


def _q12() -> tuple[str, Pipeline]:
    urgent = {"$in": ["$o.o_orderpriority", ["1-URGENT", "2-HIGH"]]}
    order = {"$and": [{"$lt": ["$l_commitdate", "$l_receiptdate"]}, {"$lt": ["$l_shipdate", "$l_commitdate"]}]}
    dates = between("1994-01-01", "1995-01-01")
    counts = {
        "high_line_count": {"$sum": {"$cond": [urgent, 1, 0]}},
        "low_line_count": {"$sum": {"$cond": [urgent, 0, 1]}},
    }
    return "lineitem", [
        {"$match": {"l_shipmode": {"$in": ["MAIL", "SHIP"]}, "l_receiptdate": dates, "$expr": order}},
        *join("orders", "_id.l_orderkey", "_id", "o"),
        {"$group": {"_id": "$l_shipmode", **counts}},
        {"$sort": {"_id": 1}},
        shown(l_shipmode="$_id", high_line_count=1, low_line_count=1),
    ]


def _q13() -> tuple[str, Pipeline]:
    usual = {"$match": {"o_comment": {"$not": {"$regex": "special.*requests", "$options": "s"}}}}
    orders: Stage = {"from": "orders", "localField": "_id", "foreignField": "o_custkey", "as": "o"}
    orders["pipeline"] = [usual, {"$project": {"_id": 1}}]
    return "customer", [
        {"$lookup": orders},
        {"$group": {"_id": {"$size": "$o"}, "custdist": {"$sum": 1}}},
        {"$sort": {"custdist": -1, "_id": -1}},
        shown(c_count="$_id", custdist=1),
    ]


def _q14() -> tuple[str, Pipeline]:
    promo = {"$cond": [{"$eq": [{"$indexOfBytes": ["$p.p_type", "PROMO"]}, 0]}, OWN_REVENUE, 0]}
    return "lineitem", [
        {"$match": {"l_shipdate": between("1995-09-01", "1995-10-01")}},
        *join("part", "l_partkey", "_id", "p"),
        {"$group": {"_id": None, "promo": {"$sum": promo}, "all": {"$sum": OWN_REVENUE}}},
        shown(promo_revenue={"$divide": [{"$multiply": [100, "$promo"]}, "$all"]}),
    ]


def _q15() -> tuple[str, Pipeline]:
    names = ("s_name", "s_address", "s_phone")
    return "lineitem", [
        {"$match": {"l_shipdate": between("1996-01-01", "1996-04-01")}},
        {"$group": {"_id": "$l_suppkey", "revenue": {"$sum": OWN_REVENUE}}},
        {"$setWindowFields": {"output": {"most": {"$max": "$revenue"}}}},
        {"$match": {"$expr": {"$eq": ["$revenue", "$most"]}}},
        *join("supplier", "_id", "_id", "s"),
        {"$sort": {"_id": 1}},
        shown(s_suppkey="$_id", total_revenue="$revenue", **{name: f"$s.{name}" for name in names}),
    ]


def _q16() -> tuple[str, Pipeline]:
    complaints = {"$match": {"s_comment": {"$regex": "Customer.*Complaints", "$options": "s"}}}
    bad: Stage = {"from": "supplier", "pipeline": [complaints, {"$project": {"_id": 1}}], "as": "bad"}
    sizes = [3, 9, 14, 15, 19, 23, 36, 45]
    conditions = {"p_brand": {"$ne": "Brand#45"}, "p_type": {"$not": {"$regex": "^MEDIUM"}}, "p_size": {"$in": sizes}}
    group = {"b": "$p_brand", "t": "$p_type", "z": "$p_size"}
    return "part", [
        {"$match": conditions},
        *join("partsupp", "_id", "_id.ps_partkey", "ps"),
        {"$group": {"_id": group, "suppliers": {"$addToSet": "$ps._id.ps_suppkey"}}},
        {"$lookup": bad},
        {"$set": {"n": {"$size": {"$setDifference": ["$suppliers", "$bad._id"]}}}},
        {"$match": {"n": {"$gt": 0}}},
        {"$sort": {"n": -1, "_id": 1}},
        shown(p_brand="$_id.b", p_type="$_id.t", p_size="$_id.z", supplier_cnt="$n"),
    ]


def _q17() -> tuple[str, Pipeline]:
    fifth = {"$multiply": [Decimal128("0.2"), {"$avg": "$l.l_quantity"}]}
    return "part", [
        {"$match": {"p_brand": "Brand#23", "p_container": "MED BOX"}},
        {"$lookup": {"from": "lineitem", "localField": "_id", "foreignField": "l_partkey", "as": "l"}},
        {"$set": {"fifth": fifth}},
        {"$unwind": "$l"},
        {"$match": {"$expr": {"$lt": ["$l.l_quantity", "$fifth"]}}},
        {"$group": {"_id": None, "sum": {"$sum": "$l.l_extendedprice"}}},
        shown(avg_yearly={"$divide": ["$sum", 7]}),
    ]


def _q18() -> tuple[str, Pipeline]:
    return "lineitem", [
        {"$group": {"_id": "$_id.l_orderkey", "quantity": {"$sum": "$l_quantity"}}},
        {"$match": {"quantity": {"$gt": 220}}},
        *join("orders", "_id", "_id", "o"),
        {"$sort": {"o.o_totalprice": -1, "o.o_orderdate": 1}},
        {"$limit": 100},
        *join("customer", "o.o_custkey", "_id", "c"),
        shown(
            c_name="$c.c_name",
            c_custkey="$c._id",
            o_orderkey="$_id",
            o_orderdate="$o.o_orderdate",
            o_totalprice="$o.o_totalprice",
            quantity=1,
        ),
    ]


def _q19() -> tuple[str, Pipeline]:
    wanted = (
        ("Brand#12", ["SM CASE", "SM BOX"], (1, 21), 15),
        ("Brand#23", ["MED BAG", "MED BOX"], (10, 30), 30),
        ("Brand#34", ["LG CASE", "LG BOX"], (20, 40), 45),
    )
    parts = [{"p_brand": b, "p_container": {"$in": c}, "p_size": {"$gte": 1, "$lte": z}} for b, c, _, z in wanted]
    quantities = [{"p_brand": b, "l.l_quantity": {"$gte": low, "$lte": high}} for b, _, (low, high), _ in wanted]
    lines = {"$match": {"l_shipmode": {"$in": ["AIR", "REG AIR"]}, "l_shipinstruct": "DELIVER IN PERSON"}}
    return "part", [
        {"$match": {"$or": parts}},
        *join("lineitem", "_id", "l_partkey", "l", lines),
        {"$match": {"$or": quantities}},
        {"$group": {"_id": None, "revenue": {"$sum": REVENUE}}},
        shown(revenue=1),
    ]


def _q20() -> tuple[str, Pipeline]:
    dates = {"$match": {"l_shipdate": between("1994-01-01", "1995-01-01")}}
    shipped: Stage = {"from": "lineitem", "let": {"supplier": "$_id.ps_suppkey"}, "as": "l"}
    shipped |= {"localField": "_id.ps_partkey", "foreignField": "l_partkey"}
    mine = {"$match": {"$expr": {"$eq": ["$l_suppkey", "$$supplier"]}}}
    shipped["pipeline"] = [mine, dates, {"$group": {"_id": None, "n": {"$sum": "$l_quantity"}}}]
    half = {"$multiply": [Decimal128("0.5"), "$l.n"]}
    forest = {"$match": {"p_name": {"$regex": "^forest"}}}
    stock = [
        *join("part", "_id.ps_partkey", "_id", "p", forest),
        {"$lookup": shipped},
        {"$unwind": "$l"},
        {"$match": {"$expr": {"$gt": ["$ps_availqty", half]}}},
        {"$limit": 1},
    ]
    return "nation", [
        {"$match": {"n_name": "CANADA"}},
        *join("supplier", "_id", "s_nationkey", "s"),
        *join("partsupp", "s._id", "_id.ps_suppkey", "ps", *stock),
        {"$sort": {"s.s_name": 1}},
        shown(s_name="$s.s_name", s_address="$s.s_address"),
    ]


def _q21() -> tuple[str, Pipeline]:
    late = {"$match": {"$expr": {"$gt": ["$l_receiptdate", "$l_commitdate"]}}}
    others = {"$filter": {"input": "$all", "cond": {"$ne": ["$$this.l_suppkey", "$s._id"]}}}
    late_others = {"$filter": {"input": "$others", "cond": {"$gt": ["$$this.l_receiptdate", "$$this.l_commitdate"]}}}
    return "nation", [
        {"$match": {"n_name": "SAUDI ARABIA"}},
        *join("supplier", "_id", "s_nationkey", "s"),
        *join("lineitem", "s._id", "l_suppkey", "l", late),
        *join("orders", "l._id.l_orderkey", "_id", "o", {"$match": {"o_orderstatus": "F"}}),
        {"$lookup": {"from": "lineitem", "localField": "o._id", "foreignField": "_id.l_orderkey", "as": "all"}},
        {"$set": {"others": others}},
        {"$match": {"others": {"$ne": []}, "$expr": {"$eq": [late_others, []]}}},
        {"$group": {"_id": "$s.s_name", "numwait": {"$sum": 1}}},
        {"$sort": {"numwait": -1, "_id": 1}},
        {"$limit": 100},
        shown(s_name="$_id", numwait=1),
    ]


def _q22() -> tuple[str, Pipeline]:
    code = {"$substrCP": ["$c_phone", 0, 2]}
    abroad = {"c_phone": {"$regex": "^(13|31|23|29|30|18|17)"}}
    rich: Stage = {"from": "customer", "as": "mean"}
    positive = {"$match": {**abroad, "c_acctbal": {"$gt": 0}}}
    rich["pipeline"] = [positive, {"$group": {"_id": None, "mean": {"$avg": "$c_acctbal"}}}]
    first_order: Stage = {"from": "orders", "localField": "_id", "foreignField": "o_custkey", "as": "o"}
    first_order["pipeline"] = [{"$limit": 1}, {"$project": {"_id": 1}}]
    return "customer", [
        {"$match": abroad},
        {"$lookup": rich},
        {"$unwind": "$mean"},
        {"$match": {"$expr": {"$gt": ["$c_acctbal", "$mean.mean"]}}},
        {"$lookup": first_order},
        {"$match": {"o": []}},
        {"$group": {"_id": code, "numcust": {"$sum": 1}, "totacctbal": {"$sum": "$c_acctbal"}}},
        {"$sort": {"_id": 1}},
        shown(cntrycode="$_id", numcust=1, totacctbal=1),
    ]


EXPERTS = {
    made.__name__[1:]: made
    for made in (
        _q01, _q02, _q03, _q04, _q05, _q06, _q07, _q08, _q09, _q10, _q11,
        _q12, _q13, _q14, _q15, _q16, _q17, _q18, _q19, _q20, _q21, _q22,
    )
}  # fmt: skip
"""By the first word of the statement's name."""
