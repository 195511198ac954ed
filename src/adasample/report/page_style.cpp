// SPDX-License-Identifier: Apache-2.0
// Light and dark by the reader's setting. The run colours are Okabe and Ito's, which the colour-blind can tell apart,
// darkened for paper and lightened for night; beyond eight runs dashes tell more.
#include "adasample/report/page_parts.h"

namespace adasample {

const std::string_view kPageStyle = R"css(:root {
  --paper: #fff; --panel: #fafaf8; --ink: #1d1d1b; --soft: #64645f; --rule: #dcdcd6; --mark: #fff3c9; --heat: #0b4f8a; --accent: #b3261e;
  --s0: #0069a6; --s1: #c75300; --s2: #00835f; --s3: #b0528a; --s4: #8f6a00; --s5: #2a93cf; --s6: #5b45a8; --s7: #55554f;
  --t0: #5968a8; --t1: #93bbdb; --t2: #58a699; --t3: #3f7d5b; --t4: #cbbb66; --t5: #dd9c70; --t6: #c06c79; --t7: #8b5679;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161719; --panel: #1d1f22; --ink: #e9e8e4; --soft: #a3a29b; --rule: #34363a; --mark: #3f3716; --heat: #8cc8ff; --accent: #ff8d80;
    --s0: #5db5ec; --s1: #ff9a52; --s2: #3ec9a0; --s3: #e79ac8; --s4: #e0bd48; --s5: #a5d8f7; --s6: #b3a3f2; --s7: #b9b8b1;
    --t0: #7d7ae0; --t1: #8fcbee; --t2: #4fb5a3; --t3: #4a9a63; --t4: #cfc068; --t5: #e6a27a; --t6: #d4788a; --t7: #b5679a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.45; overflow-wrap: anywhere;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-size: 15px;
}
header, main { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 1.7rem; font-weight: 600; letter-spacing: -.01em; margin: 32px 0 12px; }
h2 { font-size: 1.15rem; font-weight: 600; margin: 0 0 4px; }
h3 { font-size: .95rem; font-weight: 600; margin: 0; }
h4 { font-size: .8rem; font-weight: 400; color: var(--soft); margin: 0 0 4px; }
section { margin: 40px 0 0; padding-top: 14px; border-top: 1px solid var(--rule); }
main { padding-bottom: 60px; }
.lead { color: var(--soft); margin: 0 0 12px; max-width: 46rem; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; }
nav.legend {
  position: sticky; top: 0; z-index: 1; background: var(--paper); border-bottom: 1px solid var(--rule); font-size: .9rem;
  padding: 9px max(20px, calc(50vw - 570px));
}
.swatch { display: inline-block; width: 16px; height: 0; border-top: 3px solid var(--c); margin-right: 7px; vertical-align: .26em; }

.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); } .s3 { --c: var(--s3); }
.s4 { --c: var(--s4); } .s5 { --c: var(--s5); } .s6 { --c: var(--s6); } .s7 { --c: var(--s7); } .ref { --c: var(--soft); }
.t0 { --c: var(--t0); } .t1 { --c: var(--t1); } .t2 { --c: var(--t2); } .t3 { --c: var(--t3); }
.t4 { --c: var(--t4); } .t5 { --c: var(--t5); } .t6 { --c: var(--t6); } .t7 { --c: var(--t7); }
.d1 { --dash: 5 3; } .d2 { --dash: 1.5 3; } .d3 { --dash: 8 3 1.5 3; }
.d1 > .swatch { border-top-style: dashed; } .d2 > .swatch { border-top-style: dotted; } .d3 > .swatch { border-top-style: double; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 16px; margin-top: 20px; }
.card { border: 1px solid var(--rule); border-radius: 6px; padding: 14px 16px; background: var(--panel); }
.card p { margin: 0; }
.end { color: var(--soft); } .end.early { color: var(--accent); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px 12px; margin: 12px 0 0; }
dt { color: var(--soft); font-size: .78rem; } dd { margin: 0; font-size: 1.05rem; font-variant-numeric: tabular-nums; }
.notes { color: var(--soft); font-size: .85rem; margin: 12px 0 0; padding-left: 18px; }

.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 26px 24px; margin-top: 14px; }
.grid + .grid { margin-top: 30px; }
.grid.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 520px), 1fr)); }
.intervals .line { stroke-width: 2; } .intervals .part { fill-opacity: .45; stroke: none; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 0 32px; }
.beside > section { min-width: 0; }
.chart { margin: 0; display: flex; flex-direction: column; min-width: 0; }
.chart figcaption { flex: 1; }
.chart p { color: var(--soft); font-size: .82rem; margin: 0 0 6px; }
.chart p .swatch { width: 10px; height: 10px; border: 0; background: var(--c); margin: 0 4px 0 2px; vertical-align: -1px; }
.chart p .run .swatch { width: 16px; height: 0; border-top: 3px solid var(--c); margin-right: 6px; vertical-align: .26em; background: none; }
svg { display: block; width: 100%; height: auto; overflow: visible; touch-action: pan-y; cursor: crosshair; }
svg:focus { outline: none; } svg:focus-visible { outline: 2px solid var(--s0); outline-offset: 2px; }
svg text { font-size: 10.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.axes path { stroke: var(--rule); fill: none; shape-rendering: crispEdges; }
.guide { stroke: var(--soft); stroke-dasharray: 2 3; fill: none; }
.line { stroke: var(--c); stroke-width: 1.5; stroke-dasharray: var(--dash, none); fill: none; stroke-linejoin: round; stroke-linecap: round; }
.band { fill: var(--c); fill-opacity: .2; }
.area { fill: var(--c); stroke: var(--paper); stroke-width: .5; }
.series circle { fill: var(--c); stroke: var(--paper); stroke-width: .8; }
.cross { stroke: var(--soft); visibility: hidden; pointer-events: none; }
.heat path { fill: var(--heat); shape-rendering: crispEdges; }
.l1 { --o: .08; } .l2 { --o: .17; } .l3 { --o: .27; } .l4 { --o: .38; } .l5 { --o: .5; } .l6 { --o: .62; } .l7 { --o: .75; }
.l8 { --o: .88; } .l9 { --o: 1; }
.heat path { fill-opacity: var(--o); }
.part { white-space: nowrap; }
.keys { display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; }
.key { white-space: nowrap; } .key i { display: inline-block; width: 9px; height: 9px; background: var(--heat); opacity: var(--o); vertical-align: -.5px; }

.pick ul { list-style: none; margin: 0 0 14px; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; }
.pick li { width: 64px; font-size: .72rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.pick li span { display: block; white-space: nowrap; } .pick li span i { color: var(--soft); }
.pick b { display: block; font-weight: 600; }
.pick img { display: block; width: 64px; height: 64px; image-rendering: pixelated; margin-bottom: 3px; }
.pick .anchor { margin-right: 10px; } .anchor img { outline: 3px double var(--ink); outline-offset: 1px; }
.drawn img { outline: 3px solid var(--accent); outline-offset: 0; } .drawn b { color: var(--accent); }
.pick p { margin: -8px 0 14px; color: var(--soft); font-size: .8rem; }
@media (max-width: 480px) { .pick li { width: 50px; } .pick img { width: 50px; height: 50px; } .pick .anchor { margin-right: 4px; } }
summary { cursor: pointer; margin: 10px 0 8px; }

.scroll { overflow-x: auto; min-width: 0; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; margin: 8px 0 14px; overflow-wrap: normal; }
th, td { text-align: left; padding: 4px 18px 4px 0; border-bottom: 1px solid var(--rule); vertical-align: top; font-weight: 400; }
.hash { font: .72rem ui-monospace, "DejaVu Sans Mono", monospace; word-break: break-all; min-width: 33ch; }
thead th { color: var(--soft); vertical-align: bottom; }
thead .run { white-space: nowrap; }
.sides tbody th { color: var(--soft); white-space: nowrap; }
.differs th, .differs td { background: var(--mark); }
pre { font-size: .82rem; white-space: pre-wrap; background: var(--panel); border: 1px solid var(--rule); border-radius: 6px; padding: 12px 14px; }

#tip {
  position: fixed; z-index: 2; pointer-events: none; max-width: min(340px, calc(100vw - 16px)); background: var(--panel);
  border: 1px solid var(--rule); border-radius: 5px; padding: 7px 10px; font-size: .8rem; font-variant-numeric: tabular-nums;
  box-shadow: 0 2px 10px rgb(0 0 0 / .14);
}
#tip .head { color: var(--soft); margin-bottom: 2px; } #tip > div { display: flex; align-items: baseline; }
#tip .name { margin-right: 14px; } #tip .value { margin-left: auto; font-weight: 600; }
#tip .swatch { flex: none; align-self: center; }
@media print { nav.legend { position: static; } #tip { display: none; } }
)css";

}  // namespace adasample
