/** What the fleet's page adds to the style of a report, and the filters of its table. */

export const FLEET_STYLE = `
main > section > h2 small { font-size: .9rem; }
.due, .failed, .rolled-back, .stuck { color: var(--red); } .unread, .needs-people, .member-unknown { color: var(--amber); } .nothing-due, .done, .ahead { color: var(--green); }
.alarm { border-left-color: var(--red); } .numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .6rem 1.2rem; margin: 1.2rem 0; padding: 0; list-style: none; } .numbers b { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; } .numbers li { color: var(--dim); } .numbers b { color: var(--ink); } .numbers .due b { color: var(--red); } .numbers .unread b { color: var(--amber); }
.fleet th, .fleet td { text-align: left; vertical-align: top; white-space: nowrap; } .fleet td.number, .fleet th.number { text-align: right; } .fleet small { color: var(--dim); display: block; font-weight: 400; }
#clusters th small { white-space: nowrap; } #clusters tbody th { min-width: 12rem; max-width: 18rem; white-space: normal; overflow-wrap: anywhere; } #clusters td:last-child { min-width: 16rem; white-space: normal; overflow-wrap: anywhere; }
figure.wide { overflow-x: auto; } figure.wide svg { min-width: 44rem; width: 100%; } figure.wide svg text { font-size: 13px; } figure.wide svg text.name { text-anchor: start; } figure.wide svg text.date { text-anchor: start; fill: var(--dim); font-size: 12px; } figure.wide svg text.end { text-anchor: end; }
figure.wide svg line { stroke: var(--edge); stroke-width: 1; } figure.wide svg line.now { stroke: var(--ink); stroke-width: 2; } figure.wide svg line.limit { stroke: var(--red); stroke-width: 2; stroke-dasharray: 5 4; } figure.wide svg text.limit { fill: var(--red); }
svg rect.standard { fill: var(--green); } svg rect.extended { fill: var(--amber); } svg rect.run { fill: var(--blue); } svg rect.soak { fill: var(--blue); opacity: .35; } svg rect.past { fill: var(--dim); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .3rem 0; padding: 0; list-style: none; color: var(--dim); font-size: .9rem; } .key i { display: inline-block; width: .9rem; height: .7rem; margin-right: .4rem; border-radius: 2px; background: var(--dim); } .key i.standard { background: var(--green); } .key i.extended { background: var(--amber); } .key i.run { background: var(--blue); } .key i.soak { background: var(--blue); opacity: .35; } .key i.past { background: var(--dim); } ul.about { padding-left: 1.2rem; } .campaign > h2 + p { margin: .2rem 0; }
.rings { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1rem; margin: 1rem 0; align-items: start; } .ring { padding: .8rem 1rem; background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; min-width: 0; overflow-wrap: anywhere; } .ring p { margin: .2rem 0; }
.bar { display: flex; height: .7rem; margin: .5rem 0; overflow: hidden; border-radius: .35rem; background: var(--edge); } .bar i { min-width: 3px; background: var(--dim); } .bar .done, .bar .ahead { background: var(--green); } .bar .running { background: var(--blue); } .bar .failed, .bar .rolled-back, .bar .stuck { background: var(--red); } .bar .needs-people, .bar .member-unknown { background: var(--amber); } .bar .planned { background: var(--edge); }
.states, .members { margin: .3rem 0; padding: 0; list-style: none; } .states { display: flex; flex-wrap: wrap; gap: 0 .9rem; } .members li { margin: .35rem 0; } .members small { display: block; color: var(--dim); } .ring .running b { color: var(--blue); } .ring-stopped { border-color: var(--red); } .ring-stopped .ring-state { color: var(--red); } .ring-awaiting-approval { border-color: var(--amber); } .ring-awaiting-approval .ring-state { color: var(--amber); }
@media (max-width: 40rem) {
figure.wide svg { min-width: 58rem; }
#clusters thead { display: none; } #clusters, #clusters tbody { display: block; } #clusters tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .6rem 0; border-bottom: 1px solid var(--edge); }
#clusters tbody th, #clusters td { max-width: none; min-width: 0; padding: 0; border: 0; text-align: left; white-space: normal; } #clusters tbody th, #clusters td:last-child { width: 100%; } #clusters td:empty { display: none; } #clusters td[data-label]::before { content: attr(data-label) " "; color: var(--dim); } #clusters td:not(:last-child) small { display: inline; margin-left: .3rem; }
}
`;

/** Hides the rows that the filters do not name; without scripts every row is shown. */
export const FLEET_SCRIPT = `
const form = document.getElementById('filters');
if (form) {
  const rows = [...document.querySelectorAll('#clusters tbody tr')];
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const names = ['outcome', 'environment', 'account', 'region', 'version'];
  // In the address, so that a view can be passed on and survives a reload.
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const field of form.elements) if (field.name && kept.has(field.name)) field.value = kept.get(field.name);
  const apply = () => {
    const data = new FormData(form);
    const set = new URLSearchParams([...data].filter(([, value]) => value !== '')).toString();
    if (set !== location.hash.slice(1)) history.replaceState(null, '', set === '' ? location.pathname : '#' + set);
    const sought = String(data.get('words')).trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = names.every((name) => (data.get(name) ?? '') === '' || row.dataset[name] === data.get(name)) && words.get(row).includes(sought);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' shown';
  };
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  apply();
}
`;
