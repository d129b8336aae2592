/** Where a cluster is on its way, small enough for history. */
import { at, type Manifest } from '../../../domain/plan/migration/edit.ts';
import type { Beside, MigrationStep } from '../../../domain/plan/migration/checklist.ts';
import { stepsToV1 } from '../../../domain/plan/migration/checklist-v1.ts';
import { stepsToV1beta1 } from '../../../domain/plan/migration/checklist-v1beta1.ts';
import type { Step } from '../../../domain/plan/migration/names.ts';
import { concerns, rewriteManifests } from '../../../domain/plan/migration/rewrites.ts';
import type { MigrationState } from '../../../domain/plan/migration/state.ts';
import { isMarked } from '../objects/drift-marks.ts';
import type { NodeClaim } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { MigrationLook } from '../../contract/karpenter-migration.ts';
import { readMigrationState } from './state.ts';
import { listStored } from './stored-version.ts';

const LISTED = 8;
const TEXT = 600;

export async function lookAtMigration(port: KubernetesPort, step: Step): Promise<MigrationLook> {
  const state = await readMigrationState(port, step);
  const { left, ...told } = leftIn(state);
  const beside = left === undefined ? {} : { left };
  const claims = (await listStored<NodeClaim>(port, 'nodeclaims.karpenter.sh'))?.objects ?? [];
  return {
    ...controllerOf(state),
    steps: stepsOf(state, beside).map(clipped),
    ...told,
    unknowns: state.unknowns.map(({ what, why }) => `${what}: ${why}`.slice(0, TEXT)),
    claimCount: claims.length,
    driftedCount: claims.filter(isMarked).length,
    incomplete: claims.filter(lacksReference).map(({ metadata }) => metadata.name),
  };
}

function controllerOf({ controller }: MigrationState): { controller?: string } {
  return controller === undefined || controller === 'none' ? {} : { controller: controller.version };
}

export function stepsOf(state: MigrationState, beside: Beside): MigrationStep[] {
  return state.step === 'v1' ? stepsToV1(state, beside) : stepsToV1beta1(state, beside);
}

/** v1 has all three; v1beta1 had an apiVersion instead of the group. */
function lacksReference({ spec }: NodeClaim): boolean {
  const reference: Record<string, unknown> = { ...spec?.nodeClassRef };
  return (reference['group'] ?? reference['apiVersion']) === undefined || reference['kind'] === undefined;
}

function leftIn({
  objects,
  step,
  complete,
}: MigrationState): Pick<Beside, 'left'> & Pick<MigrationLook, 'delivered' | 'workloads' | 'questions'> {
  const { rewrites, questions } = rewriteManifests(
    objects.map(({ manifest }) => manifest),
    step,
  );
  const concerned = objects.filter(({ manifest }) => {
    const rewrite = rewrites.get(manifest);
    return rewrite !== undefined && concerns(rewrite);
  });
  const isOwn = ({ manifest }: { manifest: Manifest }): boolean => at(manifest, ['metadata', 'namespace']) === undefined;
  const own = concerned.filter(isOwn);
  const workloads = concerned.filter((each) => !isOwn(each));
  const asked = own.flatMap(({ manifest }) =>
    (rewrites.get(manifest)?.questions ?? []).map((question) => `${nameOf(manifest)}: ${question}`),
  );
  return {
    ...(complete ? { left: { own: own.length, workloads: workloads.length } } : {}),
    delivered: own.flatMap(({ manifest, deliveredBy }) => (deliveredBy === undefined ? [] : [`${nameOf(manifest)} (${deliveredBy})`])),
    workloads: workloads.map(({ manifest }) => nameOf(manifest)).slice(0, LISTED),
    questions: [...questions, ...asked].slice(0, LISTED).map((text) => text.slice(0, TEXT)),
  };
}

export function nameOf(manifest: Manifest): string {
  const namespace = at(manifest, ['metadata', 'namespace']);
  return `${String(manifest.kind)} ${typeof namespace === 'string' ? `${namespace}/` : ''}${String(at(manifest, ['metadata', 'name']))}`;
}

function clipped({ seen, fix, ...rest }: MigrationStep): MigrationStep {
  return { ...rest, seen: seen.slice(0, TEXT), ...(fix === undefined ? {} : { fix: fix.slice(0, TEXT) }) };
}
