/** JSON that others may have edited or that is not JSON at all. */
import type { z } from 'zod';

/** undefined: there is no text, or it is not of this shape. */
export function readJson<T>(text: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
