/** Monday morning: campaigns stand first on the App Home, and a button lists what waits for the one who looks. */
import { describe, expect, test } from 'vitest';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import type { CampaignStatus } from '../../../client/campaigns/campaigns.ts';
import { type Upgrades, UpgradesError, type VisibilityStatus } from '../../../client/upgrades-client.ts';
import { planCampaign } from '../../../domain/plan/campaign/plan-campaign.ts';
import { planRingRollback } from '../../../domain/plan/campaign/plan-rollback.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { initialState, type MemberState } from '../../../domain/run/campaign/state.ts';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { eventually } from '../../support/eventually.ts';
import { CAMPAIGN } from '../campaign-fixture.ts';
import { open, status, WORKFLOW_ID } from '../fixtures.ts';
import { BASE, type Bench, CHANNEL, CLUSTERS, withApp } from '../support.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `dev-${String(index + 1).padStart(2, '0')}`);
const cluster = (name: string) => ({ account: '111122223333', region: 'eu-central-1', name });
const POLICY = {
  ...CAMPAIGN,
  rings: CAMPAIGN.rings.map((ring, index) => ({ ...ring, select: { clusters: index === 0 ? NAMES : ['prod-1'] } })),
};
const PLAN = planCampaign(
  POLICY,
  [...NAMES, 'prod-1'].map((name) => ({ cluster: cluster(name), environment: 'test', version: '1.33', offered: true })),
  '2026-11-26T09:00:00.000Z',
);
const RING_GATE: OpenGate = {
  id: 'ring:dev@1.34#1',
  title: 'Start ring dev of campaign to-1-34 to 1.34?',
  choices: ['approve', 'reject'],
  expiresAt: '2026-11-27T09:00:00.000Z',
};

function campaignWith(members: Record<string, MemberState>, gates: OpenGate[] = []): CampaignStatus {
  const state = initialState(PLAN);
  const changed = Object.fromEntries(Object.entries(members).map(([name, is]) => [memberKey(cluster(name)), is]));
  return {
    workflowId: 'eks-campaign/to-1-34',
    runId: 'run-of-today',
    firstRunId: 'run-of-monday',
    requestedBy: { kind: 'slack', id: 'U0ALEX' },
    startedAt: '2026-11-26T09:00:00.000Z',
    plan: PLAN,
    state: { ...state, members: { ...state.members, ...changed } },
    gates,
  };
}

const clusters = { ...CLUSTERS, campaigns: () => [POLICY] };

const homeOf = ({ slack }: Bench, user: string, text: string): Promise<string> =>
  eventually(`the Home of ${user} shows ${text}`, async () => {
    await slack.openHome(user);
    const shown = JSON.stringify(slack.home(user)?.blocks ?? []);
    return shown.includes(text) ? shown : undefined;
  });

const listOf = ({ slack }: Bench, user: string, text: string): Promise<string> =>
  eventually(`the list of ${user} shows ${text}`, () => {
    const shown = JSON.stringify(slack.openViews(user).at(-1) ?? '');
    return shown.includes(text) ? shown : undefined;
  });

const press = async ({ slack }: Bench, user: string): Promise<void> =>
  void (await slack.pressInView(user, slack.home(user)?.id ?? '', 'home/needs'));

describe('what waits on Monday morning', () => {
  test('the gate of a ring waits for whoever decides it, and not for whoever asked for the campaign; its link is that of its message', async () => {
    const campaigns = { status: () => Promise.resolve(campaignWith({}, [RING_GATE])) };
    await withApp({ campaigns, clusters }, async (bench) => {
      const upgrade = { workflowId: 'eks-campaign/to-1-34', runId: 'run-of-monday' };
      const notifier = createNotifier({ web: bench.web });
      const at = { upgrade, channel: CHANNEL };
      await notifier.publish({ ...at, key: 'board', notification: { kind: 'note', level: 'info', text: 'the root' } });
      const { ts } = await notifier.publish({ ...at, key: `gate/${RING_GATE.id}`, notification: { kind: 'gate', state: open(), ...BASE } });
      const sam = await homeOf(bench, 'U0SAM', 'Needs you (1)');
      expect(sam.indexOf('Campaigns (1)')).toBeLessThan(sam.indexOf('Waiting for you (1)'));
      expect(sam).toContain('*to-1-34* to 1.34: Ring dev waits for approval. 0 of 31 clusters done.');
      expect(sam).not.toContain('dev-17');
      expect(await homeOf(bench, 'U0ALEX', 'Waiting for others (1)')).not.toContain('Needs you (');
      await press(bench, 'U0SAM');
      expect(await listOf(bench, 'U0SAM', 'Start ring dev of campaign to-1-34')).toContain(
        `/archives/${CHANNEL}/p${ts.replace('.', '')}?thread_ts=`,
      );
    });
  });

  test('F41: what takes a ring back is shown beside its campaign, to the same people, with its gate and what failed', async () => {
    const name = 'to-1-34.rollback.dev';
    const window = { at: '1.34', backTo: '1.33', movedAt: '2026-11-25T09:00:00.000Z', closesAt: '2026-12-02T09:00:00.000Z' };
    const plan = planRingRollback(
      PLAN,
      { name: 'dev', parallel: 2 },
      {
        members: ['dev-01', 'dev-02'].map((each) => ({
          cluster: cluster(each),
          environment: 'test',
          back: { kind: 'open' as const, window },
        })),
        warnings: [],
        now: '2026-11-26T09:00:00.000Z',
      },
    );
    const begun = initialState(plan);
    const back: CampaignStatus = {
      ...campaignWith({}),
      workflowId: `eks-campaign/${name}`,
      requestedBy: { kind: 'slack', id: 'U0ALEX' },
      plan,
      state: { ...begun, members: { ...begun.members, [memberKey(cluster('dev-01'))]: { kind: 'failed', why: 'EKS refused it' } } },
      gates: [{ ...RING_GATE, id: 'ring:dev@1.33#2', title: 'Take ring dev of campaign to-1-34 back to 1.33?' }],
    };
    const own = WORKSPACE.channels.map((channel, index) => ({
      ...channel,
      people: index === 0 ? ['U0SAM'] : ['U0RIN'],
      botIsMember: true,
    }));
    const campaigns = {
      list: () => Promise.resolve([name, 'secret.rollback.dev', 'to-1-34']),
      status: (of: string) => Promise.resolve(of === name ? back : campaignWith({})),
    };
    await withApp({ campaigns, clusters, server: { workspace: { ...WORKSPACE, channels: own } } }, async (bench) => {
      const sam = await homeOf(bench, 'U0SAM', 'Needs you (2)');
      expect(sam).toContain('Campaigns (2)');
      expect(sam).toContain(`*${name}* to 1.33`);
      expect(sam).toContain('An open campaign is not in belay.yaml');
      expect(sam).not.toContain('secret');
      await press(bench, 'U0SAM');
      const list = await listOf(bench, 'U0SAM', 'Take ring dev of campaign to-1-34 back to 1.33?');
      expect(list).toContain('*dev-01*: failed: EKS refused it');
      expect(await homeOf(bench, 'U0RIN', '1.31')).not.toContain('to-1-34');
    });
  });

  test('clusters that failed or are stuck are listed ten at a time, for whoever may see to them', async () => {
    const failed = Object.fromEntries(NAMES.slice(0, 23).map((name) => [name, { kind: 'failed', why: `${name} broke` } as const]));
    const stuck = { kind: 'stuck', runId: 'run-30', since: '2026-11-26T09:00:00Z', why: 'no progress for 14 h' } as const;
    const campaigns = { status: () => Promise.resolve(campaignWith({ ...failed, 'dev-30': stuck })) };
    await withApp({ campaigns, clusters }, async (bench) => {
      for (const user of ['U0ALEX', 'U0SAM']) await homeOf(bench, user, 'Needs you (24)');
      expect(await homeOf(bench, 'U0EVE', 'Campaigns (1)')).not.toContain('Needs you (');
      await press(bench, 'U0SAM');
      const first = await listOf(bench, 'U0SAM', '1 to 10 of 24');
      expect(first).toContain('*dev-01*: failed: dev-01 broke');
      expect(first).not.toContain('dev-11 broke');
      expect(first).not.toContain('needs/earlier');
      const id = bench.slack.openViews('U0SAM').at(-1)?.id ?? '';
      await bench.slack.pressInView('U0SAM', id, 'needs/later');
      expect(await listOf(bench, 'U0SAM', '11 to 20 of 24')).toContain('dev-11 broke');
      await bench.slack.pressInView('U0SAM', id, 'needs/later');
      const last = await listOf(bench, 'U0SAM', '21 to 24 of 24');
      expect(last).toContain('*dev-30*: stuck: no progress for 14 h');
      expect(last).not.toContain('needs/later');
      await bench.slack.pressInView('U0SAM', id, 'needs/earlier');
      await listOf(bench, 'U0SAM', '11 to 20 of 24');
    });
  });

  test('a run of the campaign that waits is a gate of its cluster; those that only run are not listed beside their ring', async () => {
    const running = (name: string, waitingFor?: string): VisibilityStatus => ({
      workflowId: `${WORKFLOW_ID}-${name}`,
      runId: `run-${name}`,
      cluster: name,
      ...(waitingFor === undefined ? {} : { waitingFor }),
      execution: 'RUNNING',
      startedAt: '2026-03-03T12:00:00Z',
    });
    const [busy, asking] = NAMES;
    const gate = {
      id: 'before:control-plane@1.34#1',
      title: 'Move the control plane to 1.34?',
      choices: ['approve'],
      expiresAt: '2026-03-04T12:05:00Z',
      workflowId: WORKFLOW_ID,
    };
    const upgrades: Partial<Upgrades> = {
      list: () => Promise.resolve([running(busy!), running(asking!, gate.id)]),
      status: (name) => Promise.resolve({ source: 'workflow', status: status({ runId: `run-${name}`, gates: [gate] }) }),
    };
    const since = '2026-11-26T09:00:00Z';
    const campaigns = {
      status: () =>
        Promise.resolve(
          campaignWith({
            [busy!]: { kind: 'running', runId: `run-${busy}`, since },
            [asking!]: { kind: 'needs-people', runId: `run-${asking}`, since, gate: gate.id },
          }),
        ),
    };
    const all = { ...clusters, names: () => NAMES, channelOf: () => '#eks-upgrades' };
    await withApp({ campaigns, upgrades, clusters: all }, async (bench) => {
      const sam = await homeOf(bench, 'U0SAM', 'Needs you (1)');
      expect(sam).toContain('⏳ *dev-02*: Move the control plane to 1.34?');
      expect(sam).toContain('No upgrade is running.');
      expect(bench.asked.filter(({ what }) => what === 'status').map(({ request }) => request)).not.toContain(busy);
    });
  });

  test('what cannot be read is said: a campaign, the list of them, one that belay.yaml does not name, runs without a worker', async () => {
    const away = new UpgradesError('no-worker', 'No worker answers on task queue belay.');
    await withApp({ campaigns: { status: () => Promise.reject(away) }, clusters }, async (bench) => {
      await homeOf(bench, 'U0SAM', '⚠ Could not read campaign to-1-34: No worker answers on task queue belay.');
    });
    await withApp(
      { campaigns: { list: () => Promise.reject(new UpgradesError('unreachable', 'Temporal does not answer.')) } },
      async (bench) => {
        await homeOf(bench, 'U0SAM', '⚠ Temporal does not answer.');
      },
    );
    await withApp({ campaigns: { list: () => Promise.resolve(['secret']) }, clusters }, async (bench) => {
      expect(await homeOf(bench, 'U0SAM', 'An open campaign is not in belay.yaml')).not.toContain('secret');
    });
  });

  test('RS16: whoever is not in the channel of a campaign sees nothing of it, and a guest opens no list', async () => {
    const [own, general] = WORKSPACE.channels;
    const channels = [
      { ...own!, people: ['U0SAM'] },
      { ...general!, people: ['U0RIN'], botIsMember: true },
    ];
    const campaigns = { status: () => Promise.resolve(campaignWith({}, [RING_GATE])) };
    await withApp({ campaigns, clusters, server: { workspace: { ...WORKSPACE, channels } } }, async (bench) => {
      await homeOf(bench, 'U0SAM', 'Needs you (1)');
      expect(await homeOf(bench, 'U0RIN', '1.31')).not.toContain('to-1-34');
      await press(bench, 'U0RIN');
      expect(await listOf(bench, 'U0RIN', 'Nothing is waiting for you.')).not.toContain('to-1-34');
    });
    const eve = { id: 'U0EVE', name: 'eve', realName: 'Eve Moss', role: '', standing: {} };
    const people = [...WORKSPACE.people.filter(({ id }) => id !== eve.id), eve];
    await withApp({ campaigns, clusters, server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      await homeOf(bench, 'U0EVE', 'Campaigns (1)');
      eve.standing = { guest: 'multi-channel' };
      await press(bench, 'U0EVE');
      await eventually(() => JSON.stringify(bench.slack.home('U0EVE')).includes('Guests of the workspace may not do that'));
      expect(bench.slack.openViews('U0EVE')).toEqual([]);
    });
  });

  test('S26: a list that came too late is said on the Home', async () => {
    await withApp({ clusters }, async (bench) => {
      await homeOf(bench, 'U0SAM', 'As of');
      bench.slack.failNext('views.open', { error: 'expired_trigger_id', times: 1 });
      await press(bench, 'U0SAM');
      await eventually(() => JSON.stringify(bench.slack.home('U0SAM')).includes('could not be opened in time. Press the button again'));
    });
  });
});
