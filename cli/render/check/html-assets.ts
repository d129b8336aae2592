/** Style and script of the HTML report. */

export const STYLE = `
:root { --back: #fff; --ink: #1c2733; --dim: #5b6875; --edge: #d9dfe5; --card: #f7f9fb; --red: #b3261e; --amber: #8a5a00; --blue: #1d5fa8; --green: #1f6f43; }
@media (prefers-color-scheme: dark) { :root { --back: #12171d; --ink: #e3e9ef; --dim: #9aa7b4; --edge: #2c3742; --card: #1a2129; --red: #ff8a80; --amber: #ffc46b; --blue: #7db8f5; --green: #74d19c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.8rem; } h1 small { color: var(--dim); font-weight: 400; }
.about, .area, figcaption { color: var(--dim); margin: .2rem 0; font-size: .9rem; }
.verdict { display: inline-block; margin: 0 0 .5rem; padding: .2rem .7rem; border-radius: 1rem; font-weight: 600; border: 2px solid currentColor; }
.verdict.ready { color: var(--green); } .verdict.required-findings { color: var(--red); } .verdict.unknowns-only { color: var(--amber); }
.pictures { display: flex; flex-wrap: wrap; gap: 2rem; margin: 1.5rem 0; align-items: flex-end; }
figure { margin: 0; max-width: 100%; } svg { max-width: 100%; } svg text { fill: var(--ink); text-anchor: middle; font-size: 15px; } svg text.label { text-anchor: start; font-size: 13px; }
svg line { stroke: var(--dim); stroke-width: 3; } svg circle { fill: var(--back); stroke: var(--blue); stroke-width: 3; } svg circle.now { fill: var(--blue); } svg rect { fill: var(--blue); }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .3rem .9rem; border-bottom: 1px solid var(--edge); text-align: right; } th:first-child { text-align: left; }
form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin: 1.5rem 0; } fieldset { border: 1px solid var(--edge); border-radius: .4rem; display: flex; flex-wrap: wrap; gap: .8rem; }
select, input[type=search] { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .3rem; padding: .2rem .4rem; }
article { background: var(--card); border: 1px solid var(--edge); border-left: 5px solid var(--dim); border-radius: .4rem; padding: .8rem 1rem; margin: .8rem 0; overflow-wrap: anywhere; }
article.required { border-left-color: var(--red); } article.recommended { border-left-color: var(--blue); } article.unknown { border-left-color: var(--amber); } article.passed { border-left-color: var(--green); }
h2 { font-size: 1.05rem; margin: 0 0 .3rem; } .code { font-family: ui-monospace, monospace; color: var(--dim); } .standing { font-size: .8rem; font-weight: 400; color: var(--dim); }
article p { margin: .3rem 0; } .do::before { content: "→ "; } .resources, .resources ul { margin: .2rem 0; padding-left: 1.2rem; } code { font-family: ui-monospace, monospace; font-size: .9em; }
[hidden] { display: none !important; }
@media print { form { display: none; } }
`;

/** Hides what the filters do not name; without scripts everything is shown. */
export const SCRIPT = `
const form = document.getElementById('filters');
const articles = [...document.querySelectorAll('article')];
function apply() {
  const data = new FormData(form);
  const standings = new Set(data.getAll('standing'));
  const namespace = data.get('namespace');
  const words = String(data.get('words')).toLowerCase();
  let shown = 0;
  for (const article of articles) {
    const fits = standings.has(article.dataset.standing)
      && (namespace === '' || article.dataset.namespaces.split(' ').includes(namespace))
      && article.textContent.toLowerCase().includes(words);
    article.hidden = !fits;
    if (fits) shown += 1;
    for (const group of article.querySelectorAll('[data-namespace]')) group.hidden = namespace !== '' && group.dataset.namespace !== namespace;
  }
  document.getElementById('none').hidden = shown > 0;
}
form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());
apply();
`;
