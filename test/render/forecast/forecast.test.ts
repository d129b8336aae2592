/** A forecast as JSON and as a page: whole, by its published schema, and with nothing of a file's names taken for markup. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { renderComparisonHtml, renderForecastHtml } from '../../../render/forecast/html.ts';
import { renderComparisonJson, renderForecastJson } from '../../../render/forecast/json.ts';
import { comparison, forecast, largeForecast } from '../../support/forecasts.ts';

describe('JSON', () => {
  const schema: object = JSON.parse(readFileSync(new URL('../../../docs/forecast.schema.json', import.meta.url), 'utf8'));
  const fits = new Ajv2020({ strict: false }).compile(schema);

  test.each<[string, string]>([
    ['a forecast', renderForecastJson(forecast({ pace: '1', waves: { by: 'count', nodes: 10, gate: true } }))],
    ['a large one without a price', renderForecastJson(largeForecast())],
    ['several, one of which has no plan', renderComparisonJson(comparison())],
  ])('%s is of the published schema', (_what, text) => {
    expect(fits(JSON.parse(text)) ? [] : fits.errors).toEqual([]);
  });

  test('nothing of the forecast is left out, and something else is refused', () => {
    expect(JSON.parse(renderForecastJson(forecast()))).toEqual({ schemaVersion: 1, ...forecast() });
    expect(fits({ schemaVersion: 2, ...forecast() })).toBe(false);
  });
});

describe('the page', () => {
  const page = renderForecastHtml(largeForecast());

  test('loads nothing, and shows a name that is markup as it is', () => {
    expect(page).not.toMatch(/<script|<link|<img|https?:|url\(/);
    expect(page).toContain('&lt;b&gt;web&lt;/b&gt;');
    expect(page).not.toContain('<b>web</b>');
  });

  test('what is not known comes before all that rests on it', () => {
    expect(page.indexOf('Which pods block is unknown.')).toBeLessThan(page.indexOf('Steps, from the beginning'));
    expect(renderForecastHtml(forecast({ limits: [] }))).not.toContain('Not known, or not simulated');
  });

  test('each team has an address, and a link to it', () => {
    const links = [...page.matchAll(/<nav aria-label="Teams">(.*?)<\/nav>/g)].flatMap(([, nav = '']) =>
      [...nav.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor),
    );
    expect(links).toEqual([
      'team-1-billing',
      'team-2-data-ml',
      'team-3-platform-engineering-and-observability',
      'team-4-storefront',
      'team-5',
    ]);
    for (const anchor of links) expect(page).toContain(`<article class="team" id="${anchor}">`);
  });

  test('without blockers and downtimes it says so only as far as could be seen', () => {
    const calm = renderForecastHtml(forecast({ blockers: [], downtimes: [], evictions: [], gates: [], steps: [], nodesOverTime: [] }));
    expect(calm).toContain('No pod does, as far as could be seen.');
    expect(calm).toContain('No workload does, as far as could be seen.');
  });

  test('several side by side say what only one of them does, and why one has no plan', () => {
    const compared = renderComparisonHtml(comparison());
    expect(compared).toContain('Deployment internal/license-server blocks a node only with every-hop');
    expect(compared).toContain(
      '<th scope="row">Duration</th><td>3 h 10 min (p90 4 h 5 min)</td><td>2 h 30 min (p90 3 h 20 min)</td><td>no plan</td>',
    );
    expect(compared).toContain('Kubelets of 1.30 may not stay.');
  });
});
