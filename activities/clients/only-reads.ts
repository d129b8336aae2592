/**
 * Nothing is changed while `onlyReading` runs, whatever code is reached: both doors, that to AWS and that to an API server, ask here before they send.
 * Credentials that may change something are no reason to.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { failureOf } from '../runtime/translate-errors.ts';

const reading = new AsyncLocalStorage<true>();

/** Whatever `work` asks for, now or later, reads only: all else throws AccessDenied before it is sent. */
export async function onlyReading<T>(work: () => Promise<T>): Promise<T> {
  return await reading.run(true, work);
}

/** How AWS calls what reads. */
const READS = /^(?:Describe|List|Get|Simulate|Head)[A-Z]/;
/** Lets EKS look at the cluster anew; what it finds is all that it changes. https://docs.aws.amazon.com/eks/latest/APIReference/API_StartInsightsRefresh.html */
const LOOKS: ReadonlySet<string> = new Set(['StartInsightsRefresh']);

/** `operation`: "DescribeCluster". */
export function mayCallAws(service: string, operation: string): void {
  if (reading.getStore() === undefined || READS.test(operation) || LOOKS.has(operation)) return;
  throw refused(`calling ${service} ${operation}`);
}

/** Questions about rights, which Kubernetes takes as objects to create and does not keep. */
const QUESTIONS = /^\/apis\/authorization\.k8s\.io\/v1\/selfsubject(?:access|rules)reviews$/;

/** `path`: with or without a query. `doing`: for the message. */
export function mayCallKubernetes(method: string, path: string, doing: string): void {
  if (reading.getStore() === undefined || method === 'GET') return;
  if (method === 'POST' && QUESTIONS.test(path.split('?')[0] ?? '')) return;
  throw refused(doing);
}

const refused = (doing: string) => failureOf('AccessDenied', `${doing}: only reads are allowed here; report it as a bug of Belay`);
