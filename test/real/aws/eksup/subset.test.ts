/** What unmodified eksup reports of the twin is reported by `belay check` too, of the same things. */
import { afterEach, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../domain/readiness/catalogue.ts';
import { OURS } from '../../../support/eksup-codes.ts';
import { checkOnStage } from '../../../support/readiness-twin.ts';
import { eksupFindings, isReported } from './findings.ts';
import { buildEksup } from '../tools.ts';
import { printed, type RunningTwin, startTwin } from '../twin.ts';

const binary = buildEksup();
let twin: RunningTwin | undefined;
/** Codes that eksup has reported so far. */
const reported = new Set<string>();

afterEach(() => twin?.close());

/** To 1.36 as if EKS had it already: eksup gives up where an add-on has no version for the target. */
function offerAddOnsFor(target: string, { stage }: RunningTwin): void {
  for (const [newest] of Object.values(stage.built.world.eks.addOnCatalogue))
    if (newest?.minors.includes(target) === false) newest.minors.push(target);
}

test.each([
  ['readiness', '1.35'],
  ['readiness', '1.36'],
  ['readiness-old', '1.32'],
  ['seed-002', '1.34'],
])('%s to %s: nothing that eksup reports is missing', async (scenario, target) => {
  twin = await startTwin(scenario, 60);
  offerAddOnsFor(target, twin);
  const { built } = twin.stage;
  const report = await checkOnStage(twin.stage, built.scenario, target);
  const args = ['analyze', '--cluster', twin.cluster, '--target-version', target, '--format', 'json'];
  const theirs = eksupFindings(JSON.parse(await printed(binary, args, twin.env)));
  for (const { code } of theirs) reported.add(code);
  const missing = theirs.filter(({ code, names }) => !isReported(report.findings, OURS[code] ?? [], names, built.world.eks.network));
  expect(missing).toEqual([]);
});

test('each code of eksup was reported in one of these worlds, or nothing was compared', () => {
  expect(Object.keys(OURS).filter((code) => !reported.has(code))).toEqual([]);
});

test('every code of ours that stands for one of eksup is one', () => {
  const codes = CATALOGUE.map(({ code }) => code);
  expect(
    Object.values(OURS)
      .flat()
      .filter((code) => !codes.includes(code)),
  ).toEqual([]);
});
