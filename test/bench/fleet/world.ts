/** The fleet of the campaign that is measured, whose runs are played: each takes as long as it is told, and says when it has ended. */
import type { WorkflowHandle } from '@temporalio/client';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { memberEnded } from '../../../workflows/contract/campaign.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { FakeFleet } from '../../support/fake-campaign.ts';
import { failingClusters, fleetOf, REAL_RUN_MS, type Size } from './campaign.ts';

/** Board and rings: all that is edited in place. */
const EDITED: readonly string[] = ['campaign', 'ring'];

interface Told {
  /** The campaign: told of each end. What does not reach it is found by its looks. */
  handle: Pick<WorkflowHandle, 'signal'>;
  /** A run has begun, the `count`th. */
  onStart: (count: number) => void;
  /** Once: the run of the first cluster that will fail has begun, and nobody has been told yet. */
  onUnrecordedStart: () => void;
}

export interface PlayedWorld {
  fleet: FakeFleet;
  activities: BelayActivities;
  /** When messages were edited, in milliseconds. */
  edits: number[];
  /** Names of clusters whose start was asked for once more after it had been made. */
  askedAgain: string[];
  /** No run ends any more. */
  stop(): void;
}

export function playedWorld(size: Size, campaign: CampaignPolicy, { handle, onStart, onUnrecordedStart }: Told): PlayedWorld {
  const failing = failingClusters(size);
  const [firstFailing] = failing;
  const fleet = new FakeFleet(campaign, fleetOf(size));
  const base = quickPolicy();
  // Looks as in production: what ends says so.
  const timing = { ...base.timing, pollMinMs: 3_000, pollMaxMs: 3_000, boardEditMs: 1_000, gateDeadlineMs: REAL_RUN_MS };
  const policy = { ...base, timing };
  const { activities } = fakeActivities({ policy });
  const theirs = fleet.activities(policy);
  const edits: number[] = [];
  const askedAgain: string[] = [];
  const ends = new Set<NodeJS.Timeout>();
  const endLater = (name: string): void => {
    const timer = setTimeout(() => {
      ends.delete(timer);
      fleet.end(name, failing.has(name) ? 'failed' : 'completed');
      void handle.signal(memberEnded, { cluster: name }).catch(() => undefined);
    }, size.runMs);
    ends.add(timer);
  };
  return {
    fleet,
    edits,
    askedAgain,
    activities: {
      ...activities,
      ...theirs,
      async startMember(input) {
        const { name } = input.cluster;
        const before = fleet.started.length;
        const result = await theirs.startMember(input);
        if (fleet.started.length === before) {
          askedAgain.push(name);
          return result;
        }
        endLater(name);
        if (name === firstFailing && !fleet.started.slice(0, before).some((one) => one.name === name)) onUnrecordedStart();
        onStart(fleet.started.length);
        return result;
      },
      async publish(input) {
        for (const { notification } of input.messages) if (EDITED.includes(notification.kind)) edits.push(Date.now());
        return await activities.publish(input);
      },
    },
    stop() {
      for (const timer of ends) clearTimeout(timer);
    },
  };
}
