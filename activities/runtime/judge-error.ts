/** What an error of a vendor's client means: its failure type, whether trying again can help, and when. */
import type { FailureType } from '../../domain/core/failure-types.ts';
import { clip, isError } from './redact.ts';
import { field } from '../../domain/core/unknown.ts';
import { AWS_ERRORS, CREDENTIAL_ERRORS, TLS_CODES, TRANSIENT_CODES } from './error-tables.ts';
import { mendOf } from '../../domain/policy/permissions/granting.ts';

/** Watches may run for days. */
export const SHORT_MS = 60 * 60_000;

export interface Verdict {
  type: FailureType;
  /** What happened, and the fix where there is one. */
  what: string;
  retryAfterMs?: number;
}

export function judge(error: unknown): Verdict {
  if (!isError(error)) return { type: 'Unknown', what: `something that is no error was thrown (${clip(String(error), 120)})` };
  return (
    ofSlack(error) ??
    ofCredentials(error) ??
    ofReach(error) ??
    ofAws(error) ??
    ofKubernetes(error) ??
    ofSocket(error) ??
    ofTimeout(error) ??
    unknown(error)
  );
}

export function unknown(error: Error): Verdict {
  return { type: 'Unknown', what: `${error.name}: ${error.message}` };
}

/** The notifier's own error: it knows Slack's codes and says whether trying again alone can help. */
export function ofSlack(error: Error): Verdict | undefined {
  const retryAfterMs = field(error, 'retryAfterMs');
  const waits = typeof retryAfterMs === 'number' ? { retryAfterMs } : {};
  if (field(error, 'code') === 'rate_limited') return { type: 'Throttled', what: error.message, ...waits };
  if (error.name !== 'SlackDeliveryError') return undefined;
  return { type: field(error, 'retryable') === false ? 'InvalidRequest' : 'Unavailable', what: error.message };
}

export function ofCredentials(error: Error): Verdict | undefined {
  if (error.name === 'CredentialsAwayError') {
    return { type: 'Unavailable', what: `AWS credentials cannot be renewed at the moment (${clip(error.message, 200)})` };
  }
  if (CREDENTIAL_ERRORS.has(error.name)) {
    return {
      type: 'NoCredentials',
      what: `AWS credentials are missing: give this process AWS_PROFILE, a role or AWS_ACCESS_KEY_ID (${clip(error.message, 200)})`,
    };
  }
  if (error.message.startsWith('Region is missing')) {
    return { type: 'Configuration', what: "the AWS region is missing: set the cluster's region in belay.yaml" };
  }
  return undefined;
}

/** Not sent: AWS would have refused it, by what it said to others a moment ago (clients/aws/role-breaker, clients/aws/pace). */
export function ofReach(error: Error): Verdict | undefined {
  if (error.name === 'AccountThrottledError') return { type: 'Throttled', what: error.message };
  if (error.name !== 'RoleRefusedError') return undefined;
  const advice = adviceOnRoles(error.message);
  return { type: 'AccessDenied', what: `${error.message}${advice === undefined ? '' : `; ${advice}`}` };
}

export function ofAws(error: Error): Verdict | undefined {
  const known = AWS_ERRORS[error.name];
  const metadata = field(error, '$metadata');
  const status = Number(field(metadata, 'httpStatusCode'));
  // The SDK puts $metadata on network errors as well: without a status there was no answer.
  if (known === undefined && Number.isNaN(status)) return undefined;
  const retryAfterMs = retryAfter(field(field(field(error, '$response'), 'headers'), 'retry-after'));
  const type = known?.type ?? ofStatus(status, 'AWS')?.type;
  // An error page that is no AWS answer (a proxy, a load balancer) comes out of the deserializer as a SyntaxError.
  if (type === undefined) return { type: 'Unknown', what: `AWS answered ${error.name} (${error.message})` };
  const mends = adviceOnRoles(error.message) ?? known?.advice;
  const advice = mends === undefined ? '' : `; ${mends}`;
  return { type, what: `AWS answered ${error.name} (${withoutDot(error.message)})${advice}`, retryAfterMs };
}

/** KubernetesRefusal, and client-node's ApiException: code, body, headers. The latter's message contains all of it and is not used. */
export function ofKubernetes(error: Error): Verdict | undefined {
  const code = field(error, 'code');
  if (typeof code !== 'number' || !('body' in error)) return undefined;
  const said = statusMessage(error.body);
  const verdict = ofStatus(code, 'Kubernetes');
  const mends = (code === 403 ? mendOf(said) : undefined) ?? verdict?.advice;
  const retryAfterMs = retryAfter(field(field(error, 'headers'), 'retry-after'));
  const what = `Kubernetes answered ${code}${said === '' ? '' : ` (${withoutDot(said)})`}`;
  const advice = mends === undefined ? '' : `; ${mends}`;
  return { type: verdict?.type ?? 'Unknown', what: what + advice, retryAfterMs };
}

/** A role's own policy does not help where it may not be assumed. */
export function adviceOnRoles(message: string): string | undefined {
  // Tags of EKS Pod Identity are transitive: they are sent whatever belay.yaml says. https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
  if (message.includes('sts:TagSession'))
    return "allow sts:TagSession in the role's trust policy and to who assumes it; or set sessionTags: false in belay.yaml and, if the worker's credentials are of EKS Pod Identity, disable the session tags of its association";
  if (message.includes('sts:AssumeRole'))
    return "allow sts:AssumeRole to who assumes the role, and name them in the role's trust policy (see deploy/)";
  return undefined;
}

export function ofStatus(status: number, api: 'AWS' | 'Kubernetes'): { type: FailureType; advice?: string } | undefined {
  if (status === 401) return { type: 'AccessDenied', advice: "check the role's access entry and the clock of this machine" };
  if (status === 403) return { type: 'AccessDenied', advice: api === 'Kubernetes' ? 'grant it by RBAC (see deploy/)' : undefined };
  if (status === 404) return { type: 'NotFound' };
  if (status === 409) return { type: 'Conflict' };
  if (status === 410 || status === 408 || status >= 500) return { type: 'Unavailable' };
  if (status === 429) return { type: 'Throttled' };
  if (status === 400 && api === 'AWS') return undefined;
  if (status >= 400) return { type: 'InvalidRequest' };
  return undefined;
}

/** Node's and undici's network errors: the code sits on the error, or on a cause ("fetch failed"), or on an AggregateError's members. */
export function ofSocket(error: Error): Verdict | undefined {
  for (const link of chain(error)) {
    const code = field(link, 'code');
    if (typeof code !== 'string') continue;
    if (TLS_CODES.has(code)) {
      return {
        type: 'Configuration',
        what: `the server's certificate is not trusted (${code}): check the certificate authority in the kubeconfig, or the TLS proxy in between`,
      };
    }
    const words = TRANSIENT_CODES[code];
    if (words !== undefined) return { type: 'Unavailable', what: `${words} (${code})` };
  }
  if (error.name === 'TypeError' && /fetch failed|terminated/.test(error.message))
    return { type: 'Unavailable', what: 'the connection failed' };
  return undefined;
}

export function ofTimeout(error: Error): Verdict | undefined {
  for (const link of chain(error)) {
    const name = field(link, 'name');
    if (name === 'TimeoutError') return { type: 'Unavailable', what: 'no answer in time' };
    if (name === 'AbortError') return { type: 'Unavailable', what: 'the call was aborted' };
  }
  return undefined;
}

export function chain(error: unknown, depth = 4): unknown[] {
  if (depth === 0 || error === undefined || error === null) return [];
  const errors = field(error, 'errors');
  const members = Array.isArray(errors) ? errors : [];
  return [error, ...[field(error, 'cause'), ...members].flatMap((link) => chain(link, depth - 1))];
}

/** The message of a Status object, which may come parsed or as text. */
export function statusMessage(body: unknown): string {
  if (typeof body === 'string') {
    try {
      return statusMessage(JSON.parse(body));
    } catch {
      return clip(body.trim(), 200);
    }
  }
  const message = field(body, 'message');
  return typeof message === 'string' ? clip(message, 300) : '';
}

/** Seconds or an HTTP date. */
export function retryAfter(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

export function withoutDot(text: string): string {
  return text.trim().replace(/\.$/, '');
}
