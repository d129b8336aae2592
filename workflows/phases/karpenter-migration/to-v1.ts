/** v1beta1 → v1, in the order of the v1 migration guide: the last patch with webhooks, its CRDs, conversion; then 1.0, CRDs first; then what is left of v1beta1. */
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import { compareMinors, parseComponentVersion, tryComponentVersion } from '../../../domain/core/component-version.ts';
import { patchBeforeV1 } from '../../../domain/tables/karpenter.ts';
import { bringChart, untilController, webhookValues } from './charts.ts';
import { agreeToBegin, agreeToV1 } from './gates.ts';
import { hold } from './freeze.ts';
import { cleanUp } from './leftovers.ts';
import {
  chartReason,
  conversionAnswers,
  conversionReady,
  migratedAlready,
  v1Runs,
  v1RunsAlready,
} from '../../messages/karpenter/migration.ts';
import { isAsked, isDone, type MigrationWalk, stepOf } from './walk.ts';

const LEG = 'v1';

/** Lines for the report: what is true now. */
export async function walkToV1(walk: MigrationWalk): Promise<string[]> {
  // After a move of nodes there are others.
  walk.driftedBefore = undefined;
  const first = await walk.look(LEG);
  if (stepOf(first, 'kubernetes')?.state !== 'done')
    throw walk.failed(stepOf(first, 'kubernetes')?.seen ?? 'Kubernetes’ version could not be read');
  if (first.controller === undefined)
    throw walk.failed('Karpenter’s version could not be read', [{ title: 'Unknown', lines: first.unknowns }]);
  if (isThrough(first)) {
    walk.say(migratedAlready());
    return ['nothing was left to do'];
  }
  const look = await agreeToBegin(walk, LEG, first);
  await hold(walk);
  await prepare(walk, look);
  await bringV1(walk, await walk.look(LEG));
  return await cleanUp(walk);
}

/** What the list says of the cluster alone: IAM it cannot see, and what comes after is another step's. */
const isThrough = ({ steps, incomplete }: MigrationLook): boolean =>
  incomplete.length === 0 && steps.every(({ id, state }) => id === 'iam' || id === 'beyond' || id === 'manifests' || state === 'done');

/** A patch to which 1.0 can go back, and a conversion that answers: from here on both APIs may be read. */
async function prepare(walk: MigrationWalk, look: MigrationLook): Promise<void> {
  const { controller = '' } = look;
  if (isDone(look, 'patch') && isDone(look, 'conversion')) return walk.say(conversionAnswers(controller));
  if (isDone(look, 'controller')) return await mendConversion(walk, controller);
  const patch = patchBeforeV1(controller);
  const crds = {
    chart: 'karpenter-crd' as const,
    to: patch,
    values: webhookValues(walk, 'karpenter-crd'),
    why: chartReason.servesV1(),
  };
  const why = chartReason.beforeV1();
  // Where the minor changes as well, its CRDs go first (upgrade guide); else the webhook has to be there before it is asked.
  const jumps = compareMinors(tryComponentVersion(controller) ?? parseComponentVersion(patch), parseComponentVersion(patch)) !== 0;
  if (jumps) {
    await bringChart(walk, crds);
    await walk.until(LEG, 'conversion', { asked: isAsked(walk), doing: `Waiting for karpenter-crd ${patch}`, orBroken: true });
    await hold(walk);
  }
  await bringChart(walk, { chart: 'karpenter', to: patch, values: webhookValues(walk, 'karpenter'), why });
  await untilController(walk, patch);
  if (!jumps) await bringChart(walk, crds);
  await walk.until(LEG, 'conversion', { asked: isAsked(walk), doing: 'Waiting for the conversion between v1beta1 and v1' });
  walk.say(conversionReady(patch));
}

/** 1.0 runs, and its CRDs name a Service that is not there: rendered again for the one that is. */
async function mendConversion(walk: MigrationWalk, controller: string): Promise<void> {
  const why = chartReason.noConversion();
  await bringChart(walk, { chart: 'karpenter-crd', to: controller, values: webhookValues(walk, 'karpenter-crd'), why });
  await walk.until(LEG, 'conversion', { asked: isAsked(walk), doing: 'Waiting for the conversion between v1beta1 and v1' });
}

async function bringV1(walk: MigrationWalk, look: MigrationLook): Promise<void> {
  const { to } = walk.params;
  if (isDone(look, 'definitions') && isDone(look, 'controller')) return walk.say(v1RunsAlready(look.controller ?? to));
  await agreeToV1(walk);
  await hold(walk);
  if (!isDone(look, 'definitions')) {
    const why = chartReason.definitionsOfV1();
    await bringChart(walk, { chart: 'karpenter-crd', to, values: webhookValues(walk, 'karpenter-crd'), why });
    await walk.until(LEG, 'definitions', { asked: isAsked(walk), doing: `Waiting for karpenter-crd ${to}` });
    await walk.until(LEG, 'conversion', { asked: false, doing: `Verifying the conversion with the CRDs of ${to}` });
    await hold(walk);
  }
  if (!isDone(look, 'controller')) {
    const why = chartReason.controllerOfV1();
    await bringChart(walk, { chart: 'karpenter', to, values: webhookValues(walk, 'karpenter'), why });
    await untilController(walk, to);
    await walk.until(LEG, 'conversion', { asked: false, doing: `Verifying that the webhook of ${to} answers` });
  }
  walk.say(v1Runs(to));
}
