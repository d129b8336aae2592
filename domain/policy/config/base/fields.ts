/** The leaf fields of belay.yaml: each says in its error what would be right. */
import { z } from 'zod';
import { DURATION_PATTERN, parseDurationMs } from '../../../core/parse-duration.ts';
import { HIDDEN } from './errors.ts';

/** Text with a pattern; `right` completes the sentence "… is not valid; write …". What does not match is not looked at further. */
export function text(right: string, pattern: RegExp = /\S/): z.ZodString {
  return z.string({ error: right }).regex(pattern, { error: right, abort: true });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: 'write true or false' });
}

/** A value that is read into another one; where `read` gives undefined, `right` says what would be right. */
function reading<In extends z.ZodType, Out>(schema: In, right: string, read: (value: z.output<In>) => Out | undefined) {
  return schema.transform((value, context): Out => {
    const result = read(value);
    if (result !== undefined) return result;
    context.issues.push({ code: 'custom', message: right, input: value });
    return z.NEVER;
  });
}

/** A duration, read as milliseconds. A number without a unit means minutes to one reader and seconds to another: only 0 is the same to all. */
export function duration(description: string) {
  const right = 'write a duration with its unit, such as "30s", "10m" or "24h"';
  const written = z.union([z.string().meta({ pattern: DURATION_PATTERN }), z.literal(0)], { error: right });
  return reading(written, right, parseDurationMs).describe(description);
}

/** Text of a pattern that YAML may have read as a number. */
function digits(pattern: string, number: z.ZodNumber, right: string) {
  const written = z.union([z.string().meta({ pattern }), number], { error: right });
  return reading(written, right, (value) => (new RegExp(pattern).test(String(value)) ? String(value) : undefined));
}

export const RIGHT_ACCOUNT = 'write the 12 digits of the account in quotes';

/** An AWS account id. YAML reads twelve unquoted digits as a number, which is accepted as long as no zero was lost. */
export const account = digits('^\\d{12}$', z.number().int(), RIGHT_ACCOUNT);

export const minor = digits('^1\\.\\d{2}$', z.number(), 'write a Kubernetes minor in quotes, such as "1.34"');

/** Components that have no EKS API of their own. */
export const managedOutsideEks = z.enum(['helm', 'flux', 'argocd', 'terraform', 'manual'], {
  error: 'write one of helm, flux, argocd, terraform, manual',
});

/** Components that EKS itself changes, or somebody's tool through EKS. */
export const managedThroughEks = z.enum(['eks', 'flux', 'argocd', 'terraform', 'manual'], {
  error: 'write one of eks, flux, argocd, terraform, manual',
});

/** `written` without user name and password, if it is an address; `instead` says where those go. The error does not repeat the value. */
const withoutCredentials = (written: z.ZodString, instead: string): z.ZodString =>
  written.refine((address) => !/^[\w+.-]+:\/\/[^\s/?#]*@/.test(address), {
    error: `holds credentials, and no secret belongs into this file; ${instead}`,
    params: HIDDEN,
  });

/** An address without user name and password; `instead` says where those go. */
export const httpUrl = (instead: string): z.ZodString =>
  withoutCredentials(text('write a URL such as http://prometheus.example:9090', /^https?:\/\/[^\s/]+/), instead);

/** Where a Helm chart is: an address, an OCI reference, a configured repository or a path. Plans and messages of helm show it. */
export const chartLocation = (right: string): z.ZodString =>
  withoutCredentials(
    text(right),
    'log in by helm registry login, or write NAME/CHART of a repository that was added by helm repo add; the worker finds both by HELM_REGISTRY_CONFIG and HELM_REPOSITORY_CONFIG',
  );

const RIGHT_SELECTION = 'write an alias such as al2023@v20251016, or a list of AMI ids such as ["ami-0123456789abcdef0"]';

/** What an EC2NodeClass chooses its AMIs by: an alias, or ids. Always read as a list. */
export const selection = z
  .union([text(RIGHT_SELECTION, /^[a-z0-9]+@\S+$/), z.array(text(RIGHT_SELECTION, /^ami-[0-9a-f]{8,17}$/)).min(1)], {
    error: RIGHT_SELECTION,
  })
  .transform((value) => (typeof value === 'string' ? [value] : value));
