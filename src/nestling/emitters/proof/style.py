"""How the page looks: light and dark, wide and narrow, on a screen and on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5a6775; --line: #d4dae1; --paper: #fff; --panel: #f5f7f9;
  --c0: #0b7a53; --c1: #3b6fb6; --c2: #c2571a; --c3: #8a4fa3; --c4: #6b7683; --bad: #b3261e; --noise: #0b7a5322 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --soft: #9aa6b2; --line: #39434e; --paper: #14191f;
  --panel: #1d242c; --c0: #3fc08e; --c1: #7fb0f5; --c2: #f09a62; --c3: #cf9be4; --c4: #97a3b0; --bad: #ff8a80;
  --noise: #3fc08e22 } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem; margin: 0 auto;
  padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem }
p { margin: .4rem 0 } .soft, small { color: var(--soft) } code { overflow-wrap: anywhere }
.verdict { border-left: 6px solid var(--c0); background: var(--panel); padding: .8rem 1rem; font-size: 1.1rem; margin: 1rem 0 }
.verdict.bad, .out { border-left-color: var(--bad) } .out { border-left: 6px
  solid var(--bad); padding: .3rem .8rem; margin: .4rem 0 }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: 1rem 0 }
.card { background: var(--panel); padding: .6rem .8rem } .card b { display: block; font-size: 1.4rem; line-height: 1.3 }
.rows { display: grid; grid-template-columns: minmax(7rem, 19rem) 1fr minmax(6rem, max-content); gap: .3rem .8rem;
  align-items: center; margin: .6rem 0 }
.rows .label { overflow-wrap: anywhere; line-height: 1.25 }
.rows .value { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; font-size: .9rem }
.strip svg { display: block; width: 100%; height: 20px; overflow: visible } .axis { font-size: .8rem; color: var(--soft) }
.axis span { display: flex; justify-content: space-between }
svg line { vector-effect: non-scaling-stroke } svg text { fill: var(--soft); font-size: 12px }
.whisker { stroke: var(--ink); stroke-width: 1.5 } .noise { fill: var(--noise) }
.one { stroke: var(--ink); stroke-dasharray: 3 3 }
.p50 { stroke-width: 4 } .p95 { stroke-width: 2 } .p99 { stroke-width: 1 }
rect.c0, circle.c0 { fill: var(--c0) } rect.c1, circle.c1 { fill: var(--c1) } rect.c2, circle.c2 { fill: var(--c2) }
rect.c3, circle.c3 { fill: var(--c3) } rect.c4, circle.c4 { fill: var(--c4) } rect.pale { opacity: .45 } circle { opacity: .75 }
line.c0 { stroke: var(--c0) } line.c1 { stroke: var(--c1) } line.c2 { stroke: var(--c2) } line.c3 { stroke: var(--c3) }
line.c4 { stroke: var(--c4) }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .9rem; margin: .4rem 0 }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -1px }
i.c0 { background: var(--c0) } i.c1 { background: var(--c1) } i.c2 { background: var(--c2) } i.c3 { background: var(--c3) }
i.c4 { background: var(--c4) }
.scatter { width: 100%; max-width: 34rem; height: auto } .grid { stroke: var(--line) } .same { stroke: var(--ink) }
.half { stroke: var(--soft); stroke-dasharray: 4 4 }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .9rem }
td, th { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: right; font-variant-numeric: tabular-nums }
td, th { overflow-wrap: normal } td:not(:first-child) { white-space: nowrap }
td:first-child, th:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8rem }
.words td:not(:first-child), .words th { text-align: left; white-space: normal; vertical-align: top }
th { color: var(--soft); font-weight: 500 }
.statement { border-top: 1px solid var(--line); padding-top: .4rem; margin-top: .4rem }
summary { cursor: pointer }
@media (max-width: 40rem) {
  .rows { grid-template-columns: 1fr max-content; gap: .1rem .6rem } .rows .label { grid-column: 1 / -1; margin-top: .45rem }
  td, th { padding: .25rem .3rem } body { font-size: 15px } .verdict { font-size: 1rem }
}
@media print { body { max-width: none; font-size: 11px; padding: 0 } h2 { break-after: avoid }
  .rows, .statement, table { break-inside: avoid }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact } }
"""
