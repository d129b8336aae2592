/** A campaign as `belay campaign status` and its board show it: what its workflow answers about itself, of which a rehearsal reads this. */
import { z } from 'zod';

const shape = z.object({
  state: z.object({
    phase: z.string(),
    /** Of the ring that is worked on. */
    ring: z.number(),
    rings: z.array(z.object({ name: z.string(), attempt: z.number(), state: z.string(), why: z.string().optional() })),
    members: z.record(z.string(), z.object({ kind: z.string(), why: z.string().optional() })),
  }),
});

export type CampaignSight = z.output<typeof shape>['state'];

/** Name of the query. */
export const CAMPAIGN_STATUS = 'campaignStatus';

/** undefined: it has not answered. */
export function parseSight(answer: unknown): CampaignSight | undefined {
  const parsed = shape.safeParse(answer);
  return parsed.success ? parsed.data.state : undefined;
}
