/** v1beta1 → v1, in the order of the v1 migration guide: the last patch with webhooks, its CRDs, conversion; then 1.0, CRDs first; then what is left of v1beta1. */
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import { compareMinors, parseComponentVersion, tryComponentVersion } from '../../../domain/core/component-version.ts';
import { patchBeforeV1 } from '../../../domain/tables/karpenter.ts';
import { bringChart, untilController, webhookValues } from './charts.ts';
import { agreeToBegin, agreeToV1 } from './gates.ts';
import { hold } from './freeze.ts';
import { cleanUp } from './leftovers.ts';
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
    walk.say('its objects are of v1 already.');
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
  if (isDone(look, 'patch') && isDone(look, 'conversion')) return walk.say(`${controller} runs, and its conversion webhook answers.`);
  if (isDone(look, 'controller')) return await mendConversion(walk, controller);
  const patch = patchBeforeV1(controller);
  const crds = {
    chart: 'karpenter-crd' as const,
    to: patch,
    values: webhookValues(walk, 'karpenter-crd'),
    why: 'It serves v1 beside v1beta1.',
  };
  const why = 'Only from this patch, and back to it, leads a way to 1.0; its webhook converts between the two APIs.';
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
  walk.say(`${patch} runs, and its webhook converts between v1beta1 and v1.`);
}

/** 1.0 runs, and its CRDs name a Service that is not there: rendered anew for the one that is. */
async function mendConversion(walk: MigrationWalk, controller: string): Promise<void> {
  const why = 'Its CRDs name a conversion webhook that does not answer.';
  await bringChart(walk, { chart: 'karpenter-crd', to: controller, values: webhookValues(walk, 'karpenter-crd'), why });
  await walk.until(LEG, 'conversion', { asked: isAsked(walk), doing: 'Waiting for the conversion between v1beta1 and v1' });
}

async function bringV1(walk: MigrationWalk, look: MigrationLook): Promise<void> {
  const { to } = walk.params;
  if (isDone(look, 'definitions') && isDone(look, 'controller')) return walk.say(`${look.controller ?? to} runs with its CRDs.`);
  await agreeToV1(walk);
  await hold(walk);
  if (!isDone(look, 'definitions')) {
    const why = 'CRDs come before the controller; the webhooks stay on until 1.1.';
    await bringChart(walk, { chart: 'karpenter-crd', to, values: webhookValues(walk, 'karpenter-crd'), why });
    await walk.until(LEG, 'definitions', { asked: isAsked(walk), doing: `Waiting for karpenter-crd ${to}` });
    await walk.until(LEG, 'conversion', { asked: false, doing: `Verifying the conversion with the CRDs of ${to}` });
    await hold(walk);
  }
  if (!isDone(look, 'controller')) {
    const why = 'Its CRDs are there. The webhooks stay on until 1.1.';
    await bringChart(walk, { chart: 'karpenter', to, values: webhookValues(walk, 'karpenter'), why });
    await untilController(walk, to);
    await walk.until(LEG, 'conversion', { asked: false, doing: `Verifying that the webhook of ${to} answers` });
  }
  walk.say(`${to} runs, its CRDs store v1.`);
}
