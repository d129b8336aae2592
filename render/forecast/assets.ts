/** What the page of a forecast adds to the style of a report. */

export const FORECAST_STYLE = `
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .8rem 1.2rem; margin: 1.2rem 0; padding: 0; list-style: none; } .numbers li { color: var(--dim); } .numbers b { display: block; color: var(--ink); font-size: 1.5rem; line-height: 1.25; font-variant-numeric: tabular-nums; } .numbers .bad b { color: var(--red); } .numbers .warn b { color: var(--amber); }
.limits { padding: .6rem 1rem .8rem; border-left: 4px solid var(--amber); background: var(--card); } .limits h2 { margin: 0 0 .3rem; } .limits ul { margin: 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0; } a { color: var(--blue); }
table.words { width: 100%; margin: 0 0 .8rem; } .words th, .words td { text-align: left; vertical-align: top; padding-left: 0; padding-right: 1.2rem; font-weight: 400; overflow-wrap: anywhere; } .words tbody th { font-weight: 600; min-width: 9rem; } .words thead th { position: static; } .words small { color: var(--dim); display: block; font-weight: 400; }
figure.gantt, figure.nodes { --left: 19rem; margin: 1.6rem 0; } figure ol { list-style: none; margin: 0; padding: 0; } .gantt ol li { display: grid; grid-template-columns: var(--left) minmax(0, 1fr); align-items: center; min-height: 1.8rem; } .step { padding-right: 1rem; font-size: .9rem; line-height: 1.3; overflow-wrap: anywhere; } .step small { display: block; color: var(--dim); white-space: nowrap; }
.track, .chart { position: relative; align-self: stretch; background: linear-gradient(to right, var(--edge) 1px, transparent 1px) 0 0 / var(--step) 100%; } .track i { position: absolute; top: .3rem; height: 1.1rem; min-width: 2px; border-radius: 2px; background: var(--blue); } .track .late { opacity: .3; }
.ticks { position: relative; height: 1.3rem; margin-left: var(--left); color: var(--dim); font-size: .8rem; } .nodes .ticks { margin-left: 0; } .ticks span { position: absolute; padding-left: .2rem; border-left: 1px solid var(--edge); white-space: nowrap; }
.chart svg { display: block; width: 100%; height: 12rem; } svg path.old { fill: var(--dim); opacity: .55; } svg path.new { fill: var(--green); } svg path.coming { fill: var(--amber); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0; padding: 0; list-style: none; color: var(--dim); font-size: .9rem; } .key i { display: inline-block; width: .9rem; height: .7rem; margin-right: .4rem; border-radius: 2px; background: var(--blue); } .key i.late { opacity: .3; } .key i.old { background: var(--dim); opacity: .55; } .key i.new { background: var(--green); } .key i.coming { background: var(--amber); }
.team { content-visibility: visible; border-left-width: 1px; break-inside: avoid; } .team thead th { background: none; } .team h3 { margin-bottom: .4rem; font-size: 1.1rem; } .team h3 a { color: inherit; text-decoration: none; } .team:target { border-color: var(--blue); }
.compared td, .compared th { text-align: left; } .compared tbody th { font-weight: 400; color: var(--dim); } .compared thead th { color: var(--ink); font-weight: 600; } .good { color: var(--green); }
@media (max-width: 60rem) { .ticks span:nth-child(even), .ticks .wide { display: none; } }
@media (max-width: 40rem) {
figure.gantt { --left: 0px; } .gantt ol li { grid-template-columns: minmax(0, 1fr); padding-bottom: .4rem; } .step small { display: inline; } .track { min-height: 1rem; } .track i { top: .1rem; height: .8rem; }
table.words, .words tbody, .words tr, .words th, .words td { display: block; } .words thead { display: none; } .words tr { padding: .5rem 0; border-bottom: 1px solid var(--edge); } .words tbody th, .words td { padding: 0; border: 0; min-width: 0; } .words td[data-label]::before { content: attr(data-label) ": "; color: var(--dim); } .words td small { display: inline; } .words td small::before { content: " · "; }
}
`;
