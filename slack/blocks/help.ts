/** How `/eks-upgrade` is used. */
import { UNDO_STEPS_TEXT } from '../../domain/plan/undo/names.ts';
import type { Rendered } from './kit/elements.ts';
import { mrkdwn } from './kit/text.ts';

const USAGE = [
  '`/eks-upgrade` alone opens a form to plan or start an upgrade',
  '`/eks-upgrade check CLUSTER [VERSION]` says what blocks an upgrade, and changes nothing',
  '`/eks-upgrade plan CLUSTER [VERSION]` shows the plan and changes nothing',
  '`/eks-upgrade start CLUSTER [VERSION]` plans, then starts; every gate asks for approval first',
  `\`/eks-upgrade rollback CLUSTER\` plans the way back to the minor that the control plane came from and starts it; \`rollback CLUSTER STEP\` that of one step of the last run, ${UNDO_STEPS_TEXT}; \`--dry-run\` only shows it; \`rollback CLUSTER list\` shows which steps can be undone, until when and at what cost, with a button for each`,
  '`/eks-upgrade reconcile CLUSTER` shows what a run that was ended from outside has left behind, with a button to put it back; `--dry-run` only shows it, `--roll` also lets nodes roll that lag behind',
  '`/eks-upgrade status [CLUSTER]` says where an upgrade stands',
  '`/eks-upgrade pause CLUSTER` stops before the next step, `resume CLUSTER` continues, `abort CLUSTER` ends the upgrade and restores what was changed for it',
  '`/eks-upgrade pace CLUSTER PACE` says how fast Karpenter replaces its nodes while it does: freeze, 1, 10%, 20%, original or automatic',
  '`/eks-upgrade retry CLUSTER [WHY]` runs a step that has failed again; `skip CLUSTER WHY` continues without it',
  '`/eks-upgrade extend CLUSTER GATE 2h` gives a gate more time; `handover CLUSTER [USER-ID]` makes somebody else the one who asked, and without an id asks who',
  '`/eks-upgrade history CLUSTER` lists upgrades that have ended; `report CLUSTER` puts the whole record of the last one into its thread',
  '`/eks-upgrade help` shows this',
  'For plan and start: `--strategy every-hop` or `--strategy once-at-the-end` says when nodes are replaced.',
].join('\n');

/** `problem`: what was wrong with the command, in plain words. */
export function helpText(problem?: string): Rendered {
  return { text: problem === undefined ? USAGE : `${mrkdwn(problem, 300)}\n${USAGE}`, blocks: [] };
}
