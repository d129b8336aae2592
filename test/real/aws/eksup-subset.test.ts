/** What unmodified eksup reports of the twin is reported by `belay check` too, of the same things. Skipped where eksup is not built. */
import { afterEach, expect, test } from '@jest/globals';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { checkOnStage } from '../../support/readiness-twin.ts';
import { eksupFindings, isReported } from './eksup-findings.ts';
import { eksup } from './tools.ts';
import { printed, type RunningTwin, startTwin } from './twin.ts';

/** Codes of eksup 0.15.1 and ours that say the same; several where we tell apart what it does not. */
const OURS: Record<string, readonly string[]> = {
  EKS001: ['AWS001'],
  EKS002: ['EKS001'],
  EKS003: ['EKS009'],
  EKS004: ['EKS012'],
  EKS005: ['EKS011', 'EKS029', 'EKS031', 'EKS032', 'K8S002'],
  EKS006: ['EKS023'],
  EKS007: ['EKS024'],
  EKS008: ['EKS010'],
  EKS009: ['EKS004'],
  // Insights of all other categories: to eksup those on rollbacks are misconfigurations.
  EKS010: ['EKS018', 'EKS019'],
  AWS001: ['AWS002'],
  AWS002: ['AWS003'],
  AWS003: ['AWS007'],
  AWS004: ['AWS008'],
  AWS005: ['AWS009'],
  K8S001: ['K8S001', 'K8S042'],
  K8S002: ['K8S012'],
  K8S003: ['K8S023'],
  K8S004: ['K8S017'],
  K8S005: ['K8S020'],
  K8S006: ['K8S021'],
  K8S007: ['K8S022'],
  K8S008: ['K8S024'],
  K8S011: ['K8S002', 'K8S043'],
  K8S012: ['K8S037'],
  K8S013: ['K8S035'],
  K8S014: ['K8S038'],
  K8S015: ['K8S039'],
  K8S016: ['K8S040'],
};

const binary = eksup();
const compared = binary === undefined ? test.skip : test;
let twin: RunningTwin | undefined;
/** Codes that eksup has reported so far. */
const reported = new Set<string>();

afterEach(() => twin?.close());

/** To 1.36 as if EKS had it already: eksup gives up where an add-on has no version for the target. */
function offerAddOnsFor(target: string, { stage }: RunningTwin): void {
  for (const [newest] of Object.values(stage.built.world.eks.addOnCatalogue))
    if (newest?.minors.includes(target) === false) newest.minors.push(target);
}

compared.each([
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
  const theirs = eksupFindings(JSON.parse(await printed(binary ?? '', args, twin.env)));
  for (const { code } of theirs) reported.add(code);
  const missing = theirs.filter(({ code, names }) => !isReported(report.findings, OURS[code] ?? [], names, built.world.eks.network));
  expect(missing).toEqual([]);
});

compared('each code of eksup was reported in one of these worlds, or nothing was compared', () => {
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
