/** Reads what an earlier attempt of a watch has left in its heartbeat. Anything else begins the watch anew. */
import { z } from 'zod';
import type { WatchMemory } from './verdict.ts';

/** JSON has no infinity: a look that was one comes as null and is left out. */
const LOOK = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), value: z.number(), of: z.string().optional() }),
  z.object({ kind: z.literal('empty') }),
  z.object({ kind: z.literal('error'), why: z.string() }),
]);
const BEAT = z.object({
  doing: z.string(),
  details: z.object({
    memory: z.record(
      z.string(),
      z.object({
        looks: z.array(LOOK.nullable().catch(null)).transform((looks) => looks.filter((look) => look !== null)),
        points: z.array(z.tuple([z.number(), z.number().nullable()])),
        nextMs: z.number(),
        awaySinceMs: z.number().optional(),
      }),
    ),
  }),
});

/** `doing`: as the wait calls itself, whose clock goes on with the memory or not at all. */
export function memoryIn(beat: unknown, doing: string): WatchMemory | undefined {
  const parsed = BEAT.safeParse(beat);
  return parsed.success && parsed.data.doing === doing ? parsed.data.details.memory : undefined;
}
