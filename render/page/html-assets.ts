/** Style and script of the HTML report. */

export const STYLE = `
:root { color-scheme: light; --back: #fff; --ink: #1c2733; --dim: #56636f; --edge: #d9dfe5; --card: #f7f9fb; --red: #b3261e; --amber: #855600; --blue: #1d5fa8; --green: #1f6f43; }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --back: #12171d; --ink: #e3e9ef; --dim: #a2aebb; --edge: #36424e; --card: #1a2129; --red: #ff8a80; --amber: #ffc46b; --blue: #7db8f5; --green: #74d19c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .8rem; margin: 0; font-size: 1.8rem; overflow-wrap: anywhere; } h1 small, h2 small { color: var(--dim); font-weight: 400; }
h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; scroll-margin-top: 6rem; } h2::first-letter { text-transform: uppercase; } h3 { font-size: 1rem; margin: 0 0 .2rem; }
.about, .area, figcaption { color: var(--dim); margin: .2rem 0; font-size: .9rem; }
.notice { margin: .5rem 0; padding: .3rem .7rem; border-left: 4px solid var(--amber); background: var(--card); }
.verdict { padding: .1rem .7rem; border: 2px solid currentColor; border-radius: 1rem; font-size: 1rem; }
.ready, .fixed, .fewer, .seen { color: var(--green); } .required-findings, .new, .more, .unseen { color: var(--red); } .unknowns-only { color: var(--amber); }
.overview { display: flex; flex-wrap: wrap; gap: 1.5rem 4rem; margin: 1.5rem 0; } .pictures { display: grid; gap: 1.2rem; align-content: start; max-width: 100%; }
figure { margin: 0; max-width: 100%; } svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); text-anchor: middle; font-size: 15px; } svg text.label { text-anchor: start; font-size: 14px; } svg text.part { fill: var(--dim); font-size: 13px; }
svg line { stroke: var(--dim); stroke-width: 3; } svg circle { fill: var(--back); stroke: var(--blue); stroke-width: 3; } svg circle.now, svg rect { fill: var(--blue); }
.scroll { overflow: auto; max-width: 100%; } .namespaces .scroll { max-height: 13.2rem; } table { border-collapse: collapse; } th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--edge); text-align: right; font-variant-numeric: tabular-nums; } th:first-child { text-align: left; padding-left: 0; } thead th { position: sticky; top: 0; background: var(--back); color: var(--dim); font-weight: 400; font-size: .9rem; }
.zero { color: var(--dim); } .changes ul { list-style: none; padding: 0; margin: 0; }
form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin: 2rem -1rem 0; padding: .6rem 1rem; background: var(--back); border-bottom: 1px solid var(--edge); }
fieldset { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0; padding: 0; border: 0; min-width: 0; } legend { float: left; margin-right: .6rem; line-height: 1.9; }
fieldset label { padding: .1rem .7rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--card); white-space: nowrap; cursor: pointer; } input[type=checkbox] { accent-color: var(--blue); vertical-align: -1px; }
select, input[type=search] { max-width: 14rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .3rem; padding: .15rem .4rem; } ::placeholder { color: var(--dim); opacity: 1; } output { color: var(--dim); margin-left: auto; }
button { padding: 0; border: 0; background: none; font: inherit; color: var(--blue); text-decoration: underline; cursor: pointer; } :focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
article { margin: .7rem 0; padding: .7rem 1rem; background: var(--card); border: 1px solid var(--edge); border-left: 5px solid var(--dim); border-radius: .4rem; overflow-wrap: anywhere; scroll-margin-top: 6rem; content-visibility: auto; contain-intrinsic-size: auto 9rem; }
article.required { border-left-color: var(--red); } article.recommended { border-left-color: var(--blue); } article.unknown { border-left-color: var(--amber); } article.passed { border-left-color: var(--green); }
:is(td, label).required b { color: var(--red); } :is(td, label).unknown b { color: var(--amber); } :is(td, label).recommended b { color: var(--blue); } :is(td, label).passed b { color: var(--green); }
.code { font-family: ui-monospace, monospace; color: var(--dim); overflow-wrap: anywhere; } article p { margin: .3rem 0; } .do { font-weight: 600; } .do::before { content: "→ "; } summary { cursor: pointer; }
.resources, .resources ul { margin: .2rem 0; padding-left: 1.2rem; } code { font-family: ui-monospace, monospace; font-size: .9em; }
[hidden] { display: none !important; }
@media (max-width: 40rem) { form { position: static; } th, td { padding-inline: .4rem; } thead th { font-size: .8rem; } }
@media print { form { display: none; } body { max-width: none; padding: 0; font-size: 11pt; } article { break-inside: avoid; content-visibility: visible; } .namespaces .scroll { max-height: none; } .scroll { overflow: visible; } h2 { break-after: avoid; } }
`;

/** Hides what the filters do not name, and unfolds what they do; without scripts everything is shown. */
export const SCRIPT = `
const form = document.getElementById('filters');
const sections = [...document.querySelectorAll('section.findings')].map((element) => ({
  element,
  cards: [...element.querySelectorAll('article')].map((card) => ({
    card,
    count: Number(card.dataset.count),
    areas: card.dataset.areas.split(' '),
    namespaces: card.dataset.namespaces.split(' '),
    groups: [...card.querySelectorAll('[data-namespace]')],
    words: card.textContent.toLowerCase(),
    lists: [...card.querySelectorAll('details:not([open])')],
  })),
}));
const all = sections.flatMap(({ cards }) => cards).reduce((sum, { count }) => sum + count, 0);
function apply() {
  const data = new FormData(form);
  const standings = new Set(data.getAll('standing'));
  const [area, namespace, words] = ['area', 'namespace', 'words'].map((name) => String(data.get(name)));
  const sought = words.trim().toLowerCase();
  let shown = 0;
  for (const { element, cards } of sections) {
    const before = shown;
    for (const { card, count, areas, namespaces, groups, words, lists } of cards) {
      const fits = standings.has(element.dataset.standing) && (area === '' || areas.includes(area))
        && (namespace === '' || namespaces.includes(namespace)) && words.includes(sought);
      card.hidden = !fits;
      if (fits) shown += count;
      for (const group of groups) group.hidden = namespace !== '' && group.dataset.namespace !== namespace;
      for (const list of lists) list.open = fits && (namespace !== '' || sought !== '');
    }
    element.hidden = shown === before;
  }
  document.getElementById('none').hidden = shown > 0;
  document.getElementById('shown').textContent = shown + ' of ' + all + ' shown';
}
form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());
for (const button of document.querySelectorAll('[data-pick]')) {
  button.addEventListener('click', () => {
    form.elements.namespace.value = button.dataset.pick;
    apply();
    form.scrollIntoView();
  });
}
// Paper cannot be unfolded.
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details:not([open])')];
  for (const details of folded) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of folded) details.open = false;
});
apply();
`;
