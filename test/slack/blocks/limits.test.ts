/** Whatever a cluster calls its things: no message exceeds Block Kit's limits, and none mentions a whole channel. */
import { describe, expect, test } from 'vitest';
import type { HomeView, ModalView } from '@slack/types';
import fc from 'fast-check';
import type { ChoiceId } from '../../../domain/gates/choices.ts';
import type { Decision, GateState } from '../../../domain/gates/gate.ts';
import type { MessageNotification } from '../../../domain/run/notifications.ts';
import { RING_STATES } from '../../../domain/run/campaign/state.ts';
import type { CampaignView } from '../../../domain/run/campaign/view.ts';
import type { StepState, UpgradeState } from '../../../domain/run/record/status.ts';
import type { Rendered } from '../../../slack/blocks/kit/elements.ts';
import { says } from '../../../slack/interaction/reply.ts';
import { closedHomeView, type Home, homeView } from '../../../slack/blocks/home.ts';
import { campaignBlocks, openCampaignsBlocks, ringBlocks } from '../../../slack/blocks/campaigns/campaign.ts';
import { planBlocks, refusedBlocks } from '../../../slack/blocks/plan.ts';
import { render } from '../../../slack/blocks/render.ts';
import { stakeholderBlocks, stakeholderMessage } from '../../../slack/blocks/stakeholders.ts';
import { statusBlocks } from '../../../slack/requests/status.ts';
import { messageBlockErrors, viewErrors } from '../../../rehearsal/neighbours/slack/block-kit/block-rules.ts';
import { type Loading, resultView, type UpgradeForm, upgradeView } from '../../../slack/views/upgrade.ts';
import { type Needs, NEEDS_PAGE, needsView } from '../../../slack/views/needs.ts';
import { campaignView as formOfCampaigns } from '../../../slack/views/campaign.ts';
import { extendView } from '../../../slack/views/extend.ts';
import { handOverView } from '../../../slack/views/handover.ts';
import { reasonView } from '../../../slack/views/reason.ts';
import { readySummary } from '../../support/fake-activities.ts';
import { CAMPAIGN } from '../campaign-fixture.ts';
import { gate, NOW_MS, pace, plan, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { aCheck, aForecast, actor, hostile, iso } from '../hostile.ts';

const ids = fc.array(fc.oneof(hostile, fc.constantFrom('U0SAM', 'S0PLATFORM')), { maxLength: 60 });

const aStatus = fc
  .record({
    name: hostile,
    from: fc.option(hostile, { nil: undefined }),
    to: hostile,
    state: fc.constantFrom<UpgradeState>(
      'planning',
      'waiting',
      'running',
      'paused',
      'completed',
      'stopped',
      'aborted',
      'failed',
      'refused',
    ),
    headline: hostile,
    requestedBy: actor,
    startedAt: iso,
    steps: fc.array(
      fc.record({
        id: hostile,
        title: hostile,
        state: fc.constantFrom<StepState>('planned', 'running', 'waiting', 'completed', 'skipped', 'failed', 'aborted'),
        startedAt: fc.option(iso, { nil: undefined }),
        expectedMs: fc.double(),
        note: fc.option(hostile, { nil: undefined }),
      }),
      { maxLength: 80 },
    ),
    gates: fc.array(
      fc.record({ workflowId: hostile, id: hostile, title: hostile, choices: fc.array(hostile, { maxLength: 30 }), expiresAt: iso }),
      { maxLength: 20 },
    ),
    note: fc.option(hostile, { nil: undefined }),
  })
  .map(({ name, note, ...rest }) =>
    status({ ...rest, cluster: { name, account: '', region: '' }, freeze: { state: 'not-restored', note } }),
  );

const decision: fc.Arbitrary<Decision> = fc.record({
  decisionId: hostile,
  gateId: hostile,
  choice: hostile,
  actor,
  reason: hostile,
  at: iso,
});
const aGate: fc.Arbitrary<GateState> = fc
  .record({
    definition: fc
      .record({
        id: hostile,
        title: hostile,
        next: hostile,
        undo: hostile,
        expiresAt: iso,
        quorum: fc.integer({ min: 0, max: 9 }),
        evidence: fc.array(fc.record({ title: hostile, lines: fc.array(hostile, { maxLength: 40 }) }), { maxLength: 30 }),
        choices: fc.uniqueArray(
          fc.record({
            // What stands in a history need not be of this release.
            id: hostile.map((id) => id as ChoiceId),
            label: hostile,
            does: hostile,
            style: fc.constantFrom('primary' as const, 'danger' as const, undefined),
            needsReason: fc.boolean(),
          }),
          { maxLength: 30, selector: ({ id }) => id },
        ),
      })
      .map((change) => gate(change)),
    votes: fc.array(decision, { maxLength: 12 }),
    last: decision,
    kind: fc.constantFrom('open' as const, 'decided' as const, 'expired' as const, 'withdrawn' as const),
    why: hostile,
  })
  .map(({ definition, votes, last, kind, why }): GateState => {
    const common = { gate: definition, votes };
    switch (kind) {
      case 'open':
        return { kind, ...common, refused: votes.map((vote) => ({ decision: vote, why })) };
      case 'decided':
        return { kind, ...common, decision: last };
      case 'expired':
        return { kind, ...common, at: last.at };
      case 'withdrawn':
        return { kind, ...common, at: last.at, why };
    }
  });

const aPlan = fc
  .record({
    title: hostile,
    why: hostile,
    how: hostile,
    steps: fc.integer({ min: 0, max: 90 }),
    hash: hostile,
    hops: fc.array(hostile, { maxLength: 20 }),
  })
  .map(({ title, why, how, steps, hash, hops }) => {
    const [first] = plan().steps;
    const step = first === undefined ? [] : [{ ...first, title, why, rollback: { ...first.rollback, how } }];
    const findings = Array.from({ length: steps }, () => ({
      code: title,
      title,
      severity: 'required' as const,
      status: 'unknown' as const,
      message: why,
      resources: [why],
      resourceCount: 1,
    }));
    return plan({ hash, hops, findings, steps: Array.from({ length: steps }, () => step).flat() });
  });

const notification: fc.Arbitrary<MessageNotification> = fc.oneof(
  fc
    .record({ status: aStatus, plan: fc.option(aPlan, { nil: undefined }), approvers: ids, temporalUi: hostile })
    .map((board) => ({ kind: 'board' as const, ...board })),
  fc
    .record({ plan: aPlan, environment: hostile, bakedDays: fc.nat(), lines: fc.array(hostile, { maxLength: 20 }) })
    .map(({ plan: value, ...rest }) => ({
      kind: 'plan' as const,
      plan: value,
      order: { status: 'fail' as const, ...rest },
    })),
  fc
    .record({ state: aGate, workflowId: hostile, revision: fc.nat(), users: ids, groups: ids, reminder: fc.boolean() })
    .map(({ users, groups, ...rest }) => ({ kind: 'gate' as const, ...rest, mention: { users, groups } })),
  fc
    .record({
      level: fc.constantFrom('info' as const, 'warning' as const, 'alarm' as const),
      text: hostile,
      name: hostile,
      version: hostile,
    })
    .map(({ level, text, name, version }) => ({
      kind: 'note' as const,
      level,
      text,
      ask: { component: 'istio' as const, name, version, managedBy: name },
    })),
  fc
    .record({ title: hostile, pace: hostile, by: fc.option(actor, { nil: undefined }), reason: hostile, plan: ids, ended: hostile })
    .map(({ ended, ...rest }) => ({ kind: 'pace' as const, pace: pace({ ...rest, ended: ended.startsWith('<') ? ended : undefined }) })),
  fc
    .record({
      status: aStatus,
      decisions: fc.array(aGate, { maxLength: 6 }),
      left: fc.array(fc.record({ what: hostile, why: hostile, kept: fc.boolean() }), { maxLength: 60 }),
    })
    .map(({ status: ended, decisions, left }) => ({
      kind: 'report' as const,
      report: { status: ended, outcome: 'failed' as const, decisions, leftBehind: left },
    })),
  aCheck.map((check) => ({ kind: 'check' as const, check })),
  aForecast.map((forecast) => ({ kind: 'forecast' as const, forecast })),
);

/** Every string that Slack would show or parse. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (['value', 'action_id', 'block_id'].includes(key) ? [] : strings(inner)));
}

function check({ text, blocks }: Rendered): void {
  expect(messageBlockErrors(JSON.parse(JSON.stringify(blocks)))).toEqual([]);
  // Slack's answer is msg_blocks_too_long beyond about 13,200 characters of all blocks: github.com/slackapi/bolt-js/issues/2509.
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(13_200);
  expect(text.length).toBeLessThanOrEqual(4_000);
  expect(text).not.toBe('');
  for (const shown of [text, ...strings(blocks)]) checkText(shown);
}

function checkText(shown: string): void {
  expect(shown).not.toMatch(/<!(channel|here|everyone)/);
  expect(shown).not.toMatch(/@(channel|here|everyone)/);
  expect(shown.isWellFormed()).toBe(true);
  // Whatever stands between angle brackets is Belay's own: a person, a group, a time, a link.
  for (const [, inner] of shown.matchAll(/<([^>]*)>?/g))
    expect(inner).toMatch(
      /^(@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+|!date\^\d+\^\{time\} \{date_short_pretty\}\|[^<>|]*|https?:\/\/[^<>|]*\|[^<>|]*)$/,
    );
}

const day = fc.option(fc.oneof(fc.constantFrom('2026-03-23', 'never'), hostile), { nil: undefined });
const loading = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Loading<T> | undefined> =>
  fc.oneof(
    fc.constantFrom<Loading<T> | undefined>({ kind: 'reading' }, undefined),
    hostile.map((why) => ({ kind: 'failed' as const, why })),
    value.map((read) => ({ kind: 'read' as const, value: read })),
  );
// A minor is parsed before it becomes a target.
const aTarget = fc.record({
  minor: fc.integer({ min: 0, max: 99 }).map((minor) => `1.${minor}`),
  endOfStandardSupport: day,
  endOfExtendedSupport: day,
});
const aSummary = aCheck.map(({ progress }) => (progress.kind === 'done' ? progress.summary : readySummary()));
const aForm: fc.Arbitrary<UpgradeForm> = fc.record({
  clusters: fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 150 }),
  place: fc.option(fc.record({ channelId: fc.string({ maxLength: 20 }), channelName: fc.string({ unit: 'binary', maxLength: 80 }) }), {
    nil: undefined,
  }),
  cluster: fc.option(fc.string({ minLength: 1, maxLength: 100 }), { nil: undefined }),
  versions: loading(
    fc.record({ version: hostile, readAt: iso, targets: fc.uniqueArray(aTarget, { maxLength: 20, selector: ({ minor }) => minor }) }),
  ),
  target: fc.option(hostile, { nil: undefined }),
  readiness: loading(aSummary),
});
const aHomeGate = fc.record({
  cluster: hostile,
  title: hostile,
  expiresAt: iso,
  progress: fc.option(hostile, { nil: undefined }),
  voted: fc.boolean(),
  url: fc.option(hostile, { nil: undefined }),
});
const aRing = fc.record({
  name: hostile,
  state: fc.constantFrom(...RING_STATES),
  line: hostile,
  doneCount: fc.nat(1_000),
  clusterCount: fc.nat(1_000),
  needs: fc.array(hostile, { maxLength: 10 }),
  moreCount: fc.nat(1_000),
});
const aCampaign: fc.Arbitrary<CampaignView> = fc.record({
  campaign: hostile,
  target: hostile,
  workflowId: hostile,
  headline: hostile,
  phase: fc.constantFrom('proposed' as const, 'running' as const, 'paused' as const, 'stopped' as const, 'complete' as const),
  rings: fc.array(aRing, { maxLength: 30 }),
  requestedBy: actor,
  planHash: hostile,
  clusterCount: fc.nat(1_000),
  arrivedCount: fc.nat(1_000),
});
const aTrouble = fc.record({
  cluster: hostile,
  campaign: hostile,
  ring: hostile,
  what: hostile,
  url: fc.option(hostile, { nil: undefined }),
});
const someNeeds: fc.Arbitrary<Needs> = fc.record({
  gates: fc.array(aHomeGate, { maxLength: NEEDS_PAGE }),
  troubles: fc.array(aTrouble, { maxLength: NEEDS_PAGE }),
  page: fc.nat(100),
  count: fc.nat(1_000),
  problems: fc.array(hostile, { maxLength: 12 }),
});
const aHome: fc.Arbitrary<Home> = fc.record({
  campaigns: fc.array(fc.record({ view: aCampaign, url: fc.option(hostile, { nil: undefined }) }), { maxLength: 5 }),
  moreCampaignCount: fc.nat(50),
  needCount: fc.nat(2_000),
  mine: fc.array(aHomeGate, { maxLength: 40 }),
  others: fc.array(aHomeGate, { maxLength: 40 }),
  runs: fc.array(
    fc.record({
      cluster: hostile,
      from: fc.option(hostile, { nil: undefined }),
      to: fc.option(hostile, { nil: undefined }),
      state: hostile,
      startedAt: iso,
      url: fc.option(hostile, { nil: undefined }),
    }),
    { maxLength: 40 },
  ),
  versions: fc.option(
    fc.record({
      readAt: iso,
      clusters: fc.array(
        fc.record({ name: hostile, version: fc.option(hostile, { nil: undefined }), why: fc.option(hostile, { nil: undefined }) }),
        { maxLength: 300 },
      ),
      offered: fc.array(fc.record({ version: hostile, endOfStandardSupport: day }), { maxLength: 3 }),
    }),
    { nil: undefined },
  ),
  problems: fc.array(hostile, { maxLength: 12 }),
  at: iso,
});

function checkView(view: HomeView | ModalView): void {
  expect(viewErrors(JSON.parse(JSON.stringify(view)), view.type)).toEqual([]);
  for (const shown of strings({ ...view, private_metadata: '' })) checkText(shown);
}

describe('limits', () => {
  test('S22: the form, what comes of it, and the forms of gates and boards', () => {
    fc.assert(
      fc.property(aForm, hostile, aPlan, (form, text, value) => {
        checkView(upgradeView(form));
        checkView(resultView(planBlocks(value)));
        checkView(resultView(says(`${text}.`)));
        const metadata = { gateId: 'g', workflowId: 'w', choice: 'c', revision: 1, channel: 'C0' };
        const reason = reasonView(metadata, { label: text, does: text });
        const extend = extendView({ workflowId: 'w', gate: 'g', title: text, until: text, channel: 'C0' });
        const handOver = handOverView({ cluster: text, channel: 'C0' });
        for (const view of [reason, extend, handOver]) if (view !== undefined) checkView(view);
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  test('S22: a campaign, its rings and its form', () => {
    fc.assert(
      fc.property(aCampaign, aRing, hostile, iso, fc.boolean(), (campaign, ring, text, startedAt, listed) => {
        const of = {
          campaign: text,
          target: text,
          place: 1,
          ofCount: 20,
          attempt: 2,
          why: text,
          parallel: 5,
          soak: text,
          startedAt,
          listed,
        };
        check(campaignBlocks(campaign));
        check(ringBlocks({ ...ring, ...of }));
        check(openCampaignsBlocks([text, text], true));
        const form = formOfCampaigns([{ ...CAMPAIGN, target: text }], { channel: 'C0' });
        if (form !== undefined) checkView(form);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test('S22: what waits for somebody', () => {
    fc.assert(
      fc.property(someNeeds, (needs) => {
        checkView(needsView(needs));
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test('S22: the App Home', () => {
    fc.assert(
      fc.property(aHome, hostile, (home, why) => {
        checkView(homeView(home));
        checkView(closedHomeView(why));
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  test('S22: every notification, and what stakeholders are told of it', () => {
    fc.assert(
      fc.property(notification, fc.constantFrom('board', 'gate/x', 'note/1'), (value, key) => {
        const input = { upgrade: UPGRADE, channel: 'C0', key, notification: value };
        check(render(input, { nowMs: NOW_MS }));
        const own = value.kind === 'gate' ? `gate/${value.state.gate.id}` : key;
        const told = stakeholderMessage({ ...input, key: own });
        for (const url of [undefined, key]) if (told !== undefined) check(stakeholderBlocks(told, url));
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  test('answers to commands', () => {
    fc.assert(
      fc.property(
        aStatus,
        hostile,
        hostile,
        fc.array(fc.record({ rule: hostile, message: hostile, remedy: hostile }), { maxLength: 60 }),
        (value, one, two, violations) => {
          check(statusBlocks({ source: 'workflow', status: value }, NOW_MS));
          const seen = {
            workflowId: WORKFLOW_ID,
            runId: one,
            cluster: two,
            target: one,
            phase: two,
            waitingFor: one,
            requestedBy: two,
            execution: one,
            startedAt: two,
          };
          check(statusBlocks({ source: 'visibility', status: seen, why: one }, NOW_MS));
          check(refusedBlocks(one, two, violations));
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
  });
});
