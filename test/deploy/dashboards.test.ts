/** The Grafana dashboards: of the form that Grafana loads without asking, linked with each other, and with queries that Prometheus' own tool reads. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { describeWithHelm, describeWithPromtool, HELM } from '../support/tools.ts';
import { type Dashboard, DASHBOARDS, dashboardsIn, queriesIn } from './dashboards.ts';
import { root, textOf } from './files.ts';

const dashboards = dashboardsIn();
const each = Object.entries(dashboards);
const texts = Object.fromEntries(each.map(([file]) => [file, textOf(`${DASHBOARDS}/${file}`)]));
const directory = mkdtempSync(join(tmpdir(), 'belay-dashboards-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('each is found under an address of its own, and asks for nothing at import', () => {
  expect(each.map(([file, { uid, title }]) => `${file}: ${uid}, ${title}`)).toEqual([
    'fleet.json: belay-fleet, Belay / Fleet',
    'machine-room.json: belay-machine-room, Belay / Machine room',
    'run.json: belay-run, Belay / One run',
  ]);
  for (const text of Object.values(texts)) expect(text).not.toMatch(/__inputs|__requires/);
});

test.each(each)(
  '%s: its Prometheus is a variable, its panels are told apart and do not lie over each other',
  (_file, { templating, panels }) => {
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    for (const { targets = [] } of panels) expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  },
);

test.each(each)('%s: leads to the others, and every link to a page that there is, with a variable that it has', (file, { tags, links }) => {
  expect(tags).toContain('belay');
  expect(links.map((link) => link.tags)).toEqual([['belay']]);
  for (const [, uid, query] of texts[file]?.matchAll(/"\/d\/([\w-]+)\?([^"]*)"/g) ?? []) {
    const [, to] = each.find(([, other]) => other.uid === uid) ?? [];
    const names = to?.templating.list.map(({ name }) => `var-${name}`) ?? [];
    for (const [, variable] of query?.matchAll(/(var-\w+)=/g) ?? []) expect(names).toContain(variable);
  }
});

test.each(each)('%s: uses no variable that neither it nor Grafana has', (file, { templating }: Dashboard) => {
  const known = ['__rate_interval', '__data', '__url_time_range', '__all', ...templating.list.map(({ name }) => name)];
  const used = [...(texts[file]?.matchAll(/\$\{?(\w+)/g) ?? [])].map(([, name]) => name);
  expect(used.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

/** Verdict of promtool on queries, as the expressions of rules. */
function judged(queries: readonly { expr: string }[]): { status: number | null; said: string } {
  const file = join(directory, 'queries.yaml');
  const rules = queries.map(({ expr }, index) => ({ record: `query:${index}`, expr }));
  writeFileSync(file, stringify({ groups: [{ name: 'dashboards', rules }] }));
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describeWithPromtool('promtool', () => {
  test('O23: reads every query', () => {
    const queries = queriesIn(dashboards);
    expect(queries.length).toBeGreaterThan(50);
    expect(judged(queries)).toMatchObject({ status: 0 });
  });

  test('O23: a query with a variable that nobody fills in is seen', () => {
    expect(judged([{ expr: 'sum by (phase) (belay_runs{job="belay"}[$__interval])' }]).status).not.toBe(0);
  });
});

describeWithHelm('helm template', () => {
  const render = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      HELM ?? 'helm',
      ['template', 'ours', join(root, 'deploy/chart'), '--set', 'config=x:', ...args],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(stderr);
    return parseAllDocuments(stdout)
      .map(
        (document) =>
          document.toJS() as {
            kind: string;
            metadata: { name: string; labels?: Record<string, string> };
            data: Record<string, string>;
          } | null,
      )
      .filter((object) => object?.kind === 'ConfigMap' && object.metadata.name.startsWith('ours-dashboard-'));
  };

  test('the ConfigMaps have the files as they are, with the label of Grafana’s sidecar', () => {
    const maps = render('--set', 'metrics.dashboards.enabled=true', '--set', 'metrics.dashboards.annotations.grafana_folder=Belay');
    expect(maps.map((map) => [map?.metadata.name, map?.metadata.labels?.['grafana_dashboard']])).toEqual(
      each.map(([file]) => [`ours-dashboard-${file.replace('.json', '')}`, '1']),
    );
    expect(Object.assign({}, ...maps.map((map) => map?.data))).toEqual(
      Object.fromEntries(each.map(([file]) => [`belay-${file}`, texts[file]?.trimEnd()])),
    );
  });

  test('unasked there are none', () => {
    expect(render('--set', 'metrics.enabled=true')).toEqual([]);
  });
});
