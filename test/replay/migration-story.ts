/** Karpenter from v1alpha5 to v1, with everything that may be left on the way. */
import type { MigrationLook } from '../../activities/contract/karpenter-migration.ts';
import type { MigrationStepId } from '../../domain/plan/migration/checklist.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { choosing, type Story, told } from './story.ts';

function look(controller: string, open: MigrationStepId[]): MigrationLook {
  const ids: MigrationStepId[] = [
    'kubernetes',
    'patch',
    'conversion',
    'definitions',
    'controller',
    'nodes',
    'old-objects',
    'stored',
    'beyond',
  ];
  return {
    controller,
    steps: ids.map((id) => ({ id, title: id, state: open.includes(id) ? 'open' : 'done', seen: 'seen' })),
    delivered: [],
    workloads: [],
    questions: [],
    unknowns: [],
    claimCount: 2,
    driftedCount: 0,
    incomplete: [],
  };
}

export function migratedKarpenter(): Story {
  const [bridged, patched] = [look('0.32.10', ['nodes', 'old-objects', 'beyond']), look('0.37.7', ['definitions', 'controller', 'stored'])];
  const looks = [
    look('0.30.0', ['patch', 'definitions', 'controller', 'nodes', 'old-objects', 'beyond']),
    bridged,
    bridged,
    look('0.32.10', ['patch', 'conversion', 'definitions', 'controller', 'stored']),
    patched,
  ];
  let stored = 0;
  const fake = fakeActivities({
    plan: plan(['karpenter-migration'], (step) =>
      step.params.phase === 'karpenter-migration' ? { ...step, params: { ...step.params, from: '0.30.0', legs: ['v1beta1', 'v1'] } } : step,
    ),
  });
  return told(
    fake,
    {
      readKarpenterMigration: async () => looks.shift() ?? look('1.0.14', []),
      createNewObjects: async () => ({
        created: ['NodePool default'],
        asked: [],
        refused: ['EC2NodeClass default: spec.role is required'],
      }),
      moveKubelets: async () => ({ moved: ['default'], asked: ['EC2NodeClass gpu (Flux): spec.kubelet {}'], refused: [], old: [] }),
      awaitKarpenterMigration: async ({ until }) => {
        const timedOut = until === 'stored' && (stored += 1) === 1;
        return { timedOut, state: timedOut ? 'open' : 'done', seen: 'seen' };
      },
    },
    (run) => run.finish(choosing({ 'change:karpenter-migration@1.32/nodes#1': 'drift' })),
  );
}
