/** A snapshot without names goes the whole way: plan, checks, forecast and rehearsal, each as with names, and none of them says one. */
import { createHmac, randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { renderForecast } from '../../../../cli/render/forecast/text.ts';
import { renderPlan } from '../../../../cli/render/plan.ts';
import { anonymizer } from '../../../../domain/facts/snapshot/anonymous/anonymize.ts';
import { withNames } from '../../../../domain/facts/snapshot/anonymous/names.ts';
import { Tokens } from '../../../../domain/facts/snapshot/anonymous/tokens.ts';
import { objectsOf, type Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { Forecast } from '../../../../domain/plan/forecast/types.ts';
import type { UpgradePlan } from '../../../../domain/plan/model/types.ts';
import { isLikely } from '../../../../domain/run/forecasts/stored.ts';
import { teamsOf } from '../../../../domain/run/forecasts/teams.ts';
import { renderForecastHtml } from '../../../../render/forecast/html.ts';
import { renderForecastJson } from '../../../../render/forecast/json.ts';
import type { Scenario } from '../../../../rehearsal/scenarios/scenario.ts';
import { snapshotScenario } from '../../../../rehearsal/scenarios/snapshot/index.ts';
import { checkSnapshot } from '../../../../worker/local/snapshots/check-snapshot.ts';
import { forecastSnapshot } from '../../../../worker/local/snapshots/forecast.ts';
import { planSnapshot } from '../../../../worker/local/snapshots/plan-snapshot.ts';
import { load } from '../../../rehearsal/snapshot/play.ts';
import { SAMPLES } from '../../../rehearsal/snapshot/sample-worlds.ts';
import { snapshotOfScenario } from '../../../support/snapshots.ts';

const TO = '1.34';
/** Of Kubernetes, EKS and Karpenter themselves: they say nothing about whose cluster it is. */
const EVERYBODYS = ['kube-system', 'kube-public', 'kube-node-lease', 'default', 'system', 'coredns', 'kube-proxy', 'aws-node', 'karpenter'];
/** In Belay's own sentences: "reports of other clusters". */
const WORDS = ['reports', 'webhooks', 'data'];

let real: Snapshot;
let nameless: Snapshot;
let map: Record<string, string>;
const names = new Set<string>();

function sampleShop(): Scenario {
  const { shop } = SAMPLES;
  if (shop === undefined) throw new Error('there is no sample shop');
  return shop;
}

function freshTokens(): Tokens {
  const key = randomBytes(32);
  return new Tokens((text) => createHmac('sha256', key).update(text).digest());
}

beforeAll(async () => {
  const shop = sampleShop();
  const taken = await snapshotOfScenario(shop);
  real = taken.snapshot;
  taken.remove();
  const tokens = freshTokens();
  const without = await snapshotOfScenario(shop, { rewrite: anonymizer(tokens) });
  nameless = without.snapshot;
  map = tokens.map();
  without.remove();
  for (const [key, objects] of real.objects)
    if (!key.startsWith('apiextensions.k8s.io/'))
      for (const { metadata } of objects) for (const each of [metadata.name, metadata.namespace ?? '']) names.add(each);
  for (const { metadata } of objectsOf(real, 'v1', 'namespaces') ?? []) names.add(metadata.labels?.['team'] ?? '');
  for (const { name, account } of [real.header.cluster]) names.add(name).add(account);
  for (const each of ['', ...EVERYBODYS, ...WORDS]) names.delete(each);
});

async function planOf(snapshot: Snapshot): Promise<UpgradePlan> {
  const result = await planSnapshot(snapshot, { target: TO });
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.violations));
  return result.plan;
}

async function forecastOf(snapshot: Snapshot): Promise<Forecast> {
  const result = await forecastSnapshot(snapshot, { target: TO, runs: 3, seed: 1 });
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.violations));
  return result.forecast;
}

/** Whole names alone: "data" is in "metadata", too. */
const namesIn = (text: string): string[] => {
  const words = new Set(text.split(/[^A-Za-z0-9.-]+/));
  return [...names].filter((name) => words.has(name) || (name.length > 8 && text.includes(name)));
};

test('F64: neither plan, checks, forecast in any format, nor what a rehearsal says before it begins has a name', async () => {
  expect(names.size).toBeGreaterThan(400);
  const forecast = await forecastOf(nameless);
  const { limits, world } = load(nameless, TO);
  const texts = {
    text: renderForecast(forecast),
    json: renderForecastJson(forecast),
    html: renderForecastHtml(forecast),
    plan: renderPlan(await planSnapshot(nameless, { target: TO })),
    checks: JSON.stringify(await checkSnapshot(nameless, { target: TO })),
    limits: limits.join('\n'),
    rehearsal: JSON.stringify(snapshotScenario(nameless, TO)),
    world: JSON.stringify(['nodes', 'pods', 'deployments', 'nodepools'].map((plural) => world.store.list(plural))),
  };
  expect(Object.entries(texts).flatMap(([what, text]) => namesIn(text).map((name) => `${what}: ${name}`))).toEqual([]);
  // It bites: with the map each of them is there again.
  expect(namesIn(withNames(texts.text, map))).toEqual(expect.arrayContaining(['shop', 'internal', 'admin', 'mailer', 'back-office']));
});

test('F52: the account is the same token in the header, in ARNs and in what the plan is for', async () => {
  const { account, name } = nameless.header.cluster;
  expect(account).toMatch(/^account-[a-z]{6}$/);
  const arns = JSON.stringify(nameless.calls).match(/arn:aws:[a-z0-9-]*:[a-z0-9-]*:[^:"]+:/g) ?? [];
  const accounts = arns.map((arn) => arn.split(':')[4] ?? '').filter((each) => each !== 'aws');
  expect(accounts.length).toBeGreaterThan(5);
  expect(new Set(accounts)).toEqual(new Set([account]));
  expect((await planOf(nameless)).cluster).toMatchObject({ account, name });
});

test('what is found is the same as with names, and the map gives them back', async () => {
  const verdicts = async (snapshot: Snapshot) =>
    (await checkSnapshot(snapshot, { target: TO })).findings.map(({ code, status, resources }) => `${code} ${status} ${resources.length}`);
  expect(await verdicts(nameless)).toEqual(await verdicts(real));
  const steps = async (snapshot: Snapshot) => (await planOf(snapshot)).steps.map(({ id, gate }) => [id, gate !== undefined]);
  expect(await steps(nameless)).toEqual(await steps(real));
  // What is rare depends on whose turn it is, which is by name.
  const outcome = ({ blockers, downtimes }: Forecast) => ({
    blocked: blockers
      .filter(isLikely)
      .map(({ workload, reason }) => [workload?.namespace, workload?.name, workload?.team, reason].join(' ')),
    down: downtimes.filter(isLikely).map(({ workload, why }) => [workload.namespace, workload.name, workload.team, why].join(' ')),
  });
  const named: unknown = JSON.parse(withNames(JSON.stringify(outcome(await forecastOf(nameless))), map));
  const sorted = ({ blocked, down }: ReturnType<typeof outcome>) =>
    [blocked, down].map((each) => each.toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(sorted(named as ReturnType<typeof outcome>)).toEqual(sorted(outcome(await forecastOf(real))));
});

test('F64: the table by team groups as with names, by owner keys of belay.yaml that are nobody else’s', async () => {
  const squads: Scenario = {
    ...sampleShop(),
    karpenter: { ownerKeys: ['acme.example/squad', 'acme.example/on-call'] },
    build: (world) => {
      sampleShop().build(world);
      for (const { metadata } of world.store.list('namespaces')) {
        const { team } = metadata.labels ?? {};
        if (team === undefined) continue;
        const key = team === 'storefront' ? 'acme.example/on-call' : 'acme.example/squad';
        const field = team === 'back-office' ? 'annotations' : 'labels';
        world.store.update('namespaces', metadata.name, undefined, (copy) => {
          copy.metadata.labels = {};
          copy.metadata[field] = { [key]: team };
        });
      }
    },
  };
  const taken = await snapshotOfScenario(squads);
  taken.remove();
  const given = freshTokens();
  const without = await snapshotOfScenario(squads, { rewrite: anonymizer(given) });
  without.remove();
  /** In the words of a text, whose order is by token. */
  const byTeam = (forecast: Forecast, names: Readonly<Record<string, string>> = {}) =>
    teamsOf(forecast)
      .flatMap(({ team, evictions }) => evictions.map(({ workload }) => `${team}: ${workload.namespace}/${workload.name}`))
      .map((line) => withNames(line, names))
      .toSorted((one, other) => one.localeCompare(other, 'en'));
  const expected = byTeam(await forecastOf(taken.snapshot));
  expect(expected).toEqual(
    expect.arrayContaining([
      'back-office: internal/mailer',
      'storefront: shop/checkout',
      'data-platform: data/orders',
      'team-0: team-0/service-0',
    ]),
  );
  const forecast = await forecastOf(without.snapshot);
  const tokens = byTeam(forecast).join('\n');
  expect([namesIn(tokens), tokens.includes('acme')]).toEqual([[], false]);
  expect(byTeam(forecast, given.map())).toEqual(expected);
});
