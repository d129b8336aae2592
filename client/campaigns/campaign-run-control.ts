/** Pauses or resumes a campaign and all its runs: each gets a command of its own, which it judges as any other. */
import type { Actor } from '../../domain/gates/actor.ts';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import { membersOf } from '../../domain/run/campaign/state.ts';
import type { RunCommanded, RunsCommanded } from '../../domain/run/campaign/runs-commanded.ts';
import type { CampaignStatus } from '../../workflows/contract/campaign.ts';
import { upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { type Answer, type Upgrades, UpgradesError } from '../calls/contract.ts';
import { inLanes } from '../calls/in-lanes.ts';

export interface RunsControl {
  campaign: string;
  verb: RunsCommanded['verb'];
  actor: Actor;
  reason?: string;
  /** The same press or command has the same id. */
  requestId?: string;
  prove?: Prove;
}

export interface CampaignRunControl {
  /**
   * The campaign first, unless it is so already; then the runs that it knows to go on, started and adopted ones. `runs`: absent where the campaign has
   * refused.
   */
  controlAll(request: RunsControl): Promise<{ campaign?: Answer; runs?: RunsCommanded }>;
}

interface RunControlDeps {
  status: (campaign: string) => Promise<CampaignStatus>;
  control: (request: RunsControl) => Promise<Answer>;
  upgrades: Pick<Upgrades, RunsCommanded['verb']>;
}

export function createRunControl({ status, control, upgrades }: RunControlDeps): CampaignRunControl {
  return {
    async controlAll(request) {
      const { campaign: name, verb, ...sent } = request;
      const { plan, state } = await status(name);
      const isPaused = state.pauses.some(({ by }) => by === 'person');
      const campaign = isPaused === (verb === 'resume') ? await control(request) : undefined;
      if (campaign?.reply.accepted === false) return { campaign };
      const runs = plan.rings.flatMap((ring) =>
        membersOf(state, ring).flatMap(({ member: { cluster }, is }) => ('runId' in is ? [{ cluster, runId: is.runId }] : [])),
      );
      const results = new Map<string, RunCommanded>();
      await inLanes(runs, async ({ cluster, runId: run }) => {
        const workflowId = upgradeWorkflowId(cluster);
        results.set(workflowId, await commanded(() => upgrades[verb]({ ...sent, workflowId, run })));
      });
      const told = runs.map(({ cluster }) => ({
        cluster: cluster.name,
        result: results.get(upgradeWorkflowId(cluster)) ?? { kind: 'unreached' as const, why: 'it was not tried' },
      }));
      return { ...(campaign === undefined ? {} : { campaign }), runs: { verb, results: told } };
    },
  };
}

async function commanded(send: () => ReturnType<Upgrades['pause']>): Promise<RunCommanded> {
  try {
    const { reply, how } = await send();
    if (how === 'kept') return { kind: 'kept' };
    return reply.accepted ? { kind: 'done' } : { kind: 'refused', why: reply.message };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    if (error.code === 'not-running' || error.code === 'forgotten') return { kind: 'ended' };
    return { kind: 'unreached', why: error.message };
  }
}
