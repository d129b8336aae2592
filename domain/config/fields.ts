/** The leaf fields of belay.yaml: each says in its error what would be right. */
import { z } from 'zod';
import { parseDurationMs } from './duration.ts';

/** Text with a pattern; `right` completes the sentence "… is not valid; write …". */
export function text(right: string, pattern: RegExp = /\S/): z.ZodString {
  return z.string({ error: right }).regex(pattern, { error: right });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: 'write true or false' });
}

/** A duration, read as milliseconds. */
export function duration(description: string) {
  const right = 'write a duration such as "30s", "10m", "24h", or a number of milliseconds';
  return z
    .union([z.string().meta({ pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$' }), z.number().min(0)], { error: right })
    .transform((value, context) => {
      const durationMs = parseDurationMs(value);
      if (durationMs !== undefined) return durationMs;
      context.issues.push({ code: 'custom', message: right, input: value });
      return z.NEVER;
    })
    .describe(description);
}

/** An AWS account id. YAML reads twelve unquoted digits as a number, which is accepted as long as no zero was lost. */
export const account = z
  .union([z.string().meta({ pattern: '^\\d{12}$' }), z.number().int()], { error: 'write the 12 digits of the account in quotes' })
  .transform((value, context) => {
    const digits = String(value);
    if (/^\d{12}$/.test(digits)) return digits;
    context.issues.push({ code: 'custom', message: 'write the 12 digits of the account in quotes', input: value });
    return z.NEVER;
  });

export const minor = z
  .union([z.string().meta({ pattern: '^1\\.\\d{2}$' }), z.number()], { error: 'write a Kubernetes minor in quotes, such as "1.34"' })
  .transform((value, context) => {
    const version = String(value);
    if (/^1\.\d{2}$/.test(version)) return version;
    context.issues.push({ code: 'custom', message: 'write a Kubernetes minor in quotes, such as "1.34"', input: value });
    return z.NEVER;
  });

/** Components that have no EKS API of their own. */
export const managedOutsideEks = z.enum(['helm', 'flux', 'argocd', 'terraform', 'manual'], {
  error: 'write one of helm, flux, argocd, terraform, manual',
});

/** Components that EKS itself changes, or somebody's tool through EKS. */
export const managedThroughEks = z.enum(['eks', 'flux', 'argocd', 'terraform', 'manual'], {
  error: 'write one of eks, flux, argocd, terraform, manual',
});

export const httpUrl = text('write a URL such as http://prometheus.example:9090', /^https?:\/\/[^\s/]+/);
