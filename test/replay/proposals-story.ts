/** Weeks of proposals, for the recording: by the timer and by hand, with and without a campaign, unread, dismissed by update and by signal, off and on. */
import { PROPOSALS_WORKFLOW, proposalCommandSent } from '../../workflows/contract/proposals.ts';
import { eventually } from '../support/eventually.ts';
import { SAM } from '../support/upgrade.ts';
import { campaignOf, ringOf } from '../workflows/run/campaign/support.ts';
import { FAR, offers, withProposals } from '../workflows/run/proposals/support.ts';
import type { Story } from './story.ts';

export const campaignsProposed: Story = async (env) => {
  const campaign = campaignOf([ringOf('all', ['a', 'b'])], { name: 'to-1-35', target: '1.35' });
  await withProposals(env, { weeks: 1, campaigns: [campaign] }, async (played) => {
    const { world } = played;
    await played.until('a week has passed', ({ nextAt }) => nextAt === FAR);
    await played.command({ verb: 'dismiss', target: '1.35', reason: 'after Christmas' });
    world.clusters = [
      { name: 'a', version: '1.35' },
      { name: 'b', why: 'AWS refuses the role' },
    ];
    world.offered = offers('1.34', '1.35', '1.36');
    await played.look();
    await played.handle.signal(proposalCommandSent, { verb: 'dismiss', target: '1.36', actor: SAM });
    await played.until('it is dismissed', ({ state }) => state.known['1.36']?.dismissed !== undefined);
    world.clusters = [{ name: 'a', why: 'AWS refuses the role' }];
    await played.look();
    world.broken = 'belay.yaml is gone';
    await played.configure();
    await played.until('it says why', ({ trouble }) => trouble !== undefined);
    delete world.broken;
    world.isOn = false;
    await played.configure();
    await played.until('it is off', ({ trouble, nextAt }) => trouble === undefined && nextAt === undefined);
    await eventually('it was told', () => played.fake.published.length >= 5);
  });
  return PROPOSALS_WORKFLOW;
};
