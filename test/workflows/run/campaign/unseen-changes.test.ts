/** What of belay.yaml and the fleet cannot be compared with the approved plan is asked about, and changes nothing by itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RingPolicy } from '../../../../domain/policy/campaigns.ts';
import { eventually } from '../../../support/eventually.ts';
import type { FakeFleet } from '../../../support/fake-campaign.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { campaignOf, member, ringOf, withCampaign } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const KEY = (name: string): string => `111122223333/eu-central-1/${name}`;

/** Ring dev arrives while `meanwhile` has happened; the gate of ring prod, which would begin by itself, says `lines`. */
async function asks(prod: Partial<RingPolicy>, meanwhile: (fleet: FakeFleet) => void, lines: string[]): Promise<void> {
  const members = [member('a', { tags: {} }), member('b', { tags: { tier: 'gold' } })];
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'], { promotion: 'after-soak', ...prod })]);
  await withCampaign(env, campaign, members, async (played) => {
    const { fleet } = played;
    const first = await played.gate('dev');
    await played.decide('dev');
    await eventually('the first starts', () => fleet.open.length === 1);
    fleet.end('a');
    meanwhile(fleet);
    const { gates, plan } = await played.gate('prod');
    expect(gates[0]?.evidence?.find(({ title }) => title === 'Not compared with belay.yaml')?.lines).toEqual(lines);
    expect(plan.hash).toBe(first.plan.hash);
    expect(fleet.startedNames).toEqual(['a']);
    await played.decide('prod');
    await eventually('the second starts', () => fleet.startedNames.length === 2);
    expect((await played.status()).plan).toMatchObject({ hash: first.plan.hash, target: '1.32' });
  });
}

test('a ring that follows by itself asks where belay.yaml cannot be read: what has changed there is not known', async () => {
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'], { promotion: 'after-soak' })]);
  let isBroken = false;
  await withCampaign(
    env,
    campaign,
    [member('a'), member('b')],
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await eventually('the first starts', () => fleet.open.length === 1);
      isBroken = true;
      fleet.end('a');
      const { gates } = await played.gate('prod');
      expect(gates[0]?.evidence?.find(({ title }) => title === 'Not compared with belay.yaml')?.lines).toEqual([
        'Could not read whether belay.yaml has changed since the plan was approved: belay.yaml: line 3 is no YAML',
      ]);
      expect(fleet.startedNames).toEqual(['a']);
    },
    {
      change: ({ planCampaign }) => ({
        planCampaign: async (input) => {
          if (isBroken) throw ApplicationFailure.nonRetryable('belay.yaml: line 3 is no YAML', 'Configuration');
          return await planCampaign(input);
        },
      }),
    },
  );
});

test('clusters whose tags cannot be read are not gone: the approved plan stays, and its gate names them', () =>
  asks(
    { select: { clusters: ['b'], tags: { tier: 'gold' } } },
    ({ members }) => {
      const [, b] = members;
      delete b?.tags;
      Object.assign(b ?? {}, { why: 'reading b: the security token is expired' });
    },
    [
      `belay.yaml and the clusters give no plan now, so this one stays as it was approved: ${KEY('b')}: its tags could not be read (reading b: the security token is expired), and the campaign selects by tags.`,
    ],
  ));

test('another target is another campaign: rings that have arrived are not behind it', () =>
  asks({}, (fleet) => void (fleet.campaign = { ...fleet.campaign, target: '1.33' }), [
    'belay.yaml now says target 1.33 for this campaign. It stays one to 1.32: write another campaign for 1.33.',
  ]));

test('a ring follows by itself also where its plan takes longer than belay.yaml to read: records are in a bucket, cluster after cluster', async () => {
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'], { promotion: 'after-soak' })]);
  await withCampaign(
    env,
    campaign,
    [member('a'), member('b')],
    async (played) => {
      await played.gate('dev');
      await played.decide('dev');
      await eventually('the first starts', () => played.fleet.open.length === 1);
      played.fleet.end('a');
      await eventually('the second starts', () => played.fleet.startedNames.length === 2);
      expect((await played.status()).gates).toEqual([]);
    },
    {
      change: ({ planCampaign }) => ({
        planCampaign: async (input) => {
          await new Promise((resolve) => setTimeout(resolve, 12_000));
          return await planCampaign(input);
        },
      }),
    },
  );
});
