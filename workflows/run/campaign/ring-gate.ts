/** The gate before each ring: opened once a cluster can start, asked anew where the plan has changed, and carried on with its votes. */
import { isCancellation, workflowInfo } from '@temporalio/workflow';
import { openGate } from '../../../domain/gates/gate-rules.ts';
import type { GateState, OpenGate } from '../../../domain/gates/gate.ts';
import { adoptPlan } from '../../../domain/plan/campaign/adopt.ts';
import { driftOf, isDrifted, type PlanDrift } from '../../../domain/plan/campaign/drift.ts';
import type { CampaignPlan, PlannedRing } from '../../../domain/plan/campaign/types.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { beginRing, canPromote, undecided } from '../../../domain/run/campaign/rings.ts';
import { haveToArrive, leftOutLines, mayFail } from '../../../domain/run/campaign/left-out.ts';
import { type CampaignState, firstState, hasArrived, leftOutOf, membersOf, withRing } from '../../../domain/run/campaign/state.ts';
import { gateId } from '../../contract/ids.ts';
import type { ApprovalContext } from '../../gates/authorize.ts';
import { Gatekeeper } from '../../gates/gatekeeper.ts';
import {
  campaignOver,
  campaignRejected,
  driftUnread,
  planUnusable,
  promotionWaits,
  ringBegun,
  ringGate,
  ringStopped,
  targetMoved,
} from '../../messages/campaigns.ts';
import { rollbackBegun, rollbackGate } from '../../messages/campaign-rollback.ts';
import { configActivities } from '../../runtime/activity-proxies.ts';
import type { UsedIds } from '../../runtime/messages/used-ids.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { planFleet, readFleet } from '../../requests/plan-campaign.ts';
import type { CampaignMembers } from './campaign-members.ts';
import type { CampaignVoice } from './campaign-voice.ts';

export interface CampaignShared {
  state: () => CampaignState;
  plan: () => CampaignPlan;
  use: (state: CampaignState, plan?: CampaignPlan) => void;
  voice: CampaignVoice;
  /** Of votes and commands alike. */
  used: UsedIds;
}

export class RingGate {
  readonly #shared: CampaignShared;
  readonly #gates: Gatekeeper;
  /** The gate that the run before has left open, as it was then; undefined once it is asked on. */
  #carried: GateState | undefined;
  #isAsking = false;
  #isClosed = false;
  /** Of the plan that the open gate is about. */
  #askedHash: string | undefined;

  constructor(shared: CampaignShared, carried: GateState | undefined) {
    this.#shared = shared;
    this.#gates = new Gatekeeper(shared.used);
    if (carried?.kind === 'open') this.#carried = carried;
  }

  install(): void {
    this.#gates.install(this.#carried?.gate.id);
  }

  attach(context: ApprovalContext): void {
    const { voice, plan } = this.#shared;
    this.#gates.attach({
      ...context,
      workflowId: workflowInfo().workflowId,
      announcer: voice.announcer,
      planHash: () => this.#askedHash ?? plan().hash,
      audit: (event) => voice.audit(event),
      onChange: () => voice.board(),
    });
    // The message in Slack is there to be pressed, however long the fleet is read before the gate is asked on.
    if (this.#carried !== undefined) this.#gates.reopen(this.#carried);
  }

  get open(): OpenGate[] {
    return this.#gates.states.flatMap((state) => (state.kind === 'open' ? [openGate(state)] : []));
  }

  /** What the next run of the campaign goes on with. */
  get carried(): { gate?: GateState } {
    const [gate] = this.#gates.states.filter(({ kind }) => kind === 'open');
    return gate === undefined ? {} : { gate };
  }

  close(): void {
    this.#isClosed = true;
    const carried = this.#takeCarried();
    // Stopped before it was asked on: it is withdrawn all the same.
    if (carried?.kind === 'open') void this.#gates.ask(carried.gate, campaignOver, carried);
  }

  /** As it is now: people may have voted since. */
  #takeCarried(): GateState | undefined {
    const id = this.#carried?.gate.id;
    this.#carried = undefined;
    return this.#gates.states.find(({ gate }) => gate.id === id);
  }

  /** Asks for the ring that comes next, once; the answer is taken whenever it comes. */
  async keep(members: CampaignMembers): Promise<void> {
    const { state } = this.#shared;
    const is = state().rings[state().ring];
    if (this.#isAsking || is === undefined || state().phase === 'stopped' || state().phase === 'complete') return;
    if (is.state === 'pending' && !(await this.#promote(members))) return;
    if (state().rings[state().ring]?.state !== 'awaiting-approval') return;
    const found = await this.#changed();
    this.#isAsking = true;
    void this.#ask(found).catch((error: unknown) => {
      this.#isAsking = false;
      if (!isCancellation(error)) throw error;
    });
  }

  /** true: its gate is to be opened. A ring that needs no approval begins. */
  async #promote(members: CampaignMembers): Promise<boolean> {
    const { state, plan, use, voice } = this.#shared;
    const index = state().ring;
    const ring = plan().rings[index];
    if (ring === undefined) return false;
    if (!canPromote(state(), plan())) {
      await members.lookAgain(membersOf(state(), ring).filter(({ is }) => is.kind === 'held' && is.again !== undefined));
      if (!canPromote(state(), plan())) {
        use(withRing(state(), index, { why: promotionWaits(ring.name) }));
        return false;
      }
    }
    const { drift, unread } = await this.#changed();
    // What has changed, and what could not be seen, is for people.
    if (ring.promotion === 'after-soak' && drift === undefined && unread === undefined) {
      voice.note(ringBegun(ring, undefined, goingIn(state(), ring)));
      use(beginRing(state(), plan(), new Date().toISOString()));
      return false;
    }
    use(withRing(state(), index, { state: 'awaiting-approval', why: undefined }));
    return true;
  }

  /** Before the first ring the plan was just made. `unread`: what cannot be read, or makes no plan, in words: clusters that are not seen are not gone. */
  async #changed(): Promise<{ plan: CampaignPlan; drift?: PlanDrift; unread?: string }> {
    const { state, plan } = this.#shared;
    const begun = state().ring;
    const approved = plan();
    if (begun === 0) return { plan: approved };
    try {
      const { clusters, target } = await configActivities.loadCampaign({ campaign: approved.campaign });
      if (target !== approved.target) return { plan: approved, unread: targetMoved(target, approved.target) };
      const now = await planFleet(approved.campaign, await readFleet(clusters, target));
      if (now.problems.length > 0) return { plan: approved, unread: planUnusable(now.problems) };
      const drift = driftOf(approved, now, begun);
      if (!isDrifted(drift)) return { plan: approved };
      return { plan: adoptPlan(approved, now, begun), drift };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { plan: approved, unread: driftUnread(messageOf(error)) };
    }
  }

  async #ask({ plan, drift, unread }: { plan: CampaignPlan; drift?: PlanDrift; unread?: string }): Promise<void> {
    const { state, use, voice } = this.#shared;
    const index = state().ring;
    const [ring, behind] = [plan.rings[index], state().rings[index - 1]];
    const is = state().rings[index];
    if (ring === undefined || is === undefined) return use({ ...state(), phase: 'complete' });
    this.#askedHash = plan.hash;
    const members = membersOf(state(), ring);
    const going = members.filter(
      ({ member, is: of }) => member.verdict.kind === 'upgrade' && of.kind !== 'done' && leftOutOf(of) === undefined,
    );
    const leftOut = leftOutLines(members);
    const text =
      plan.rollbackOf === undefined
        ? ringGate(plan, ring, {
            attempt: is.attempt,
            going: going.length,
            leftOut,
            haveToArrive: haveToArrive(plan, ring, members),
            mayFail: mayFail(
              ring,
              members.map(({ is: of }) => of),
            ),
            lines: unread === undefined ? [] : [unread],
            ...(behind === undefined ? {} : { behind }),
            ...(drift === undefined ? {} : { drift }),
          })
        : rollbackGate(plan, ring, { attempt: is.attempt, leftOut });
    const step = `${ring.name}@${plan.target}`;
    // Votes are for the plan that was shown: another one is asked about anew.
    const left = this.#takeCarried();
    const carried = left?.gate.planHash === plan.hash ? left : undefined;
    const isOver = (): string | undefined => (this.#isClosed || state().phase === 'stopped' ? campaignOver() : undefined);
    // Ids of votes end with the revision, and those of the other plan are used up.
    const anew = left === undefined || carried !== undefined ? {} : { revision: left.gate.revision + 1 };
    const answer = await this.#gates.ask({ ...text, id: gateId('ring', step, is.attempt), step, ...anew }, isOver, carried);
    this.#isAsking = false;
    if (answer.kind === 'withdrawn') return;
    if (answer.kind === 'expired') {
      const next = undecided(state(), new Date().toISOString());
      voice.note(ringStopped(ring.name, next.rings[index]?.why ?? '', plan.campaign));
      return use(next);
    }
    const by = answer.decision.actor;
    if (answer.decision.choice !== 'approve') {
      const why = campaignRejected(ring.name, by);
      return use({ ...withRing(state(), index, { state: 'stopped', why }), phase: 'stopped' });
    }
    voice.note(plan.rollbackOf === undefined ? ringBegun(ring, by, goingIn(state(), ring)) : rollbackBegun(ring, by));
    use(beginRing(takeOver(state(), plan, index), plan, new Date().toISOString()), plan);
  }
}

const goingIn = (state: CampaignState, ring: PlannedRing): string[] =>
  membersOf(state, ring).flatMap(({ member, is }) => (hasArrived(is) || leftOutOf(is) !== undefined ? [] : [member.cluster.name]));

/** The state that goes with a plan that was approved anew: rings that have begun, and clusters that run, stay. */
function takeOver(state: CampaignState, plan: CampaignPlan, begun: number): CampaignState {
  if (plan.hash === state.planHash) return state;
  const rings = plan.rings.map(({ name }, index) => {
    const known = index === begun ? state.rings[begun] : state.rings.find((each) => each.name === name);
    return { attempt: 1, state: 'pending' as const, ...known, name };
  });
  const members = plan.rings.flatMap(({ members: of }) =>
    of.map((member) => {
      const key = memberKey(member.cluster);
      return [key, state.members[key] ?? firstState(member)] as const;
    }),
  );
  return { ...state, planHash: plan.hash, rings, members: Object.fromEntries(members) };
}
