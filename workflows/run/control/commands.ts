/** What people ask of a run from outside of its gates: pause, resume, abort, hand over, another pace. */
import type { CancellationScope } from '@temporalio/workflow';
import type { DecisionReply } from '../../../domain/gates/gate.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { RunAudit } from '../../reporting/audit/run-audit.ts';
import type { ApprovalContext } from '../../gates/authorize.ts';
import type { Gatekeeper } from '../../gates/gatekeeper.ts';
import { abortRequestedBy } from '../../messages/commands.ts';
import type { UpgradeProgress } from '../../reporting/progress.ts';
import type { RunNotifier } from '../../reporting/run-notifier.ts';
import type { FreezeHold } from '../freeze-guard.ts';
import { installPace } from './change-pace.ts';
import { handOver } from './hand-over.ts';
import { installControl } from './pause-resume-abort.ts';

export interface CommandedRun {
  progress: UpgradeProgress;
  voice: RunNotifier;
  gates: Gatekeeper;
  freeze: FreezeHold;
  audit: RunAudit;
  /** Cancelled by an abort. */
  story: CancellationScope;
  /** undefined until the run has read its policy, as `policy`. */
  approval: () => ApprovalContext | undefined;
  policy: () => UpgradePolicy | undefined;
}

/** Before the first await of the workflow. */
export function installCommands({ progress, voice, gates, freeze, audit, story, approval, policy }: CommandedRun): void {
  freeze.abort = (chosen) => {
    if (progress.requestAbort(chosen).accepted) story.cancel();
  };
  const told = audit.command.bind(audit);
  const steer = (reply: DecisionReply): DecisionReply => {
    voice.board();
    return reply;
  };
  installControl(
    approval,
    {
      pause: ({ actor }) => steer(progress.requestPause(actor)),
      resume: ({ actor }) => steer(progress.requestResume(actor)),
      abort: (input) => {
        const reply = progress.requestAbort(input);
        if (reply.accepted) {
          voice.note(abortRequestedBy(input.actor, input.reason));
          story.cancel();
        }
        return steer(reply);
      },
      handOver: (actor, input) => handOver({ progress, voice, freeze, gates, policy: policy() }, actor, input),
      refused: (note) => voice.note(note),
      isOver: () => progress.ending,
    },
    told,
  );
  installPace({ approval, status: progress.status, gates, tell: (note) => voice.note(note) }, told);
}
