/** Runs `istioctl analyze` and `istioctl x precheck` where the binary is, and reads their JSON. */
import { z } from 'zod';
import type { AnalysisReading, MeshMessage } from '../../../domain/health/mesh/istioctl-analysis.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { CancelledFailure } from '@temporalio/common';
import { currentSignal } from '../../runtime/context.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { type HelmKubeconfig, withKubeconfig } from '../../clients/kubernetes/kubeconfig.ts';
import { passedOn, type HelmResult, runProcess } from '../../kubernetes/helm/process.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface IstioctlOptions {
  /** The binary; default `istioctl` on the PATH. */
  binary?: string;
  /** The worker's environment; istioctl gets the part of it that it needs. */
  env: Readonly<Record<string, string | undefined>>;
  kubeconfig: (cluster: ClusterRef) => Promise<HelmKubeconfig>;
  /** Longest call. */
  limitMs?: number;
}

export interface Istioctl {
  /** Configuration errors and warnings in all namespaces, as istiod of this revision sees them. Never throws for what istioctl does. */
  analyze(cluster: ClusterRef, revision: string): Promise<AnalysisReading>;
  /** What would keep Istio from being installed or upgraded. As analyze. */
  precheck(cluster: ClusterRef): Promise<AnalysisReading>;
}

/** It lists and watches whatever Istio knows; without the right to one of these it waits until its own timeout. */
const LIMIT_MS = 90_000;
/** Messages are kept in history. */
const MESSAGES = 40;
const CHARACTERS = 240;

/** A list of these in stdout, an empty one where nothing was found (pkg/config/analysis/diag: Message.MarshalJSON). */
const Messages = z.array(z.object({ code: z.string(), level: z.string(), origin: z.string().optional(), message: z.string() }));

export function createIstioctl({ binary = 'istioctl', env, kubeconfig, limitMs = LIMIT_MS }: IstioctlOptions): Istioctl {
  const run = async (cluster: ClusterRef, args: string[], doing: string): Promise<AnalysisReading> => {
    const signal = currentSignal();
    try {
      const result = await heartbeating(doing, async () =>
        withKubeconfig(await kubeconfig(cluster), (access) => {
          const own = access.map((arg) => (arg === '--kube-context' ? '--context' : arg));
          return runProcess({ binary, args: [...args, '--output', 'json', ...own], env: passedOn(env), signal, limitMs, tool: 'istioctl' });
        }),
      );
      return read(result);
    } catch (error) {
      if (error instanceof CancelledFailure) throw error;
      if (failureType(error) === 'Configuration') return { kind: 'absent' };
      return { kind: 'blind', why: clip(messageOf(error)) };
    }
  };
  return {
    analyze: (cluster, revision) =>
      run(cluster, ['analyze', '--all-namespaces', '--color=false', '--revision', revision], 'running istioctl analyze'),
    precheck: (cluster) => run(cluster, ['x', 'precheck'], 'running istioctl x precheck'),
  };
}

/** `precheck` ends with a code where it found something, and prints nothing where it did not. */
function read({ stdout, stderr, code }: HelmResult): AnalysisReading {
  const text = stdout.trim();
  if (text === '' && code === 0) return { kind: 'seen', messages: [] };
  const parsed = Messages.safeParse(parse(text));
  if (!parsed.success)
    return { kind: 'blind', why: clip(`istioctl ended with code ${code}: ${(stderr.trim() || text).split('\n').slice(-2).join(' ')}`) };
  const messages = parsed.data
    .flatMap(({ code: own, level, origin = '', message }): MeshMessage[] =>
      level === 'Error' || level === 'Warning' ? [{ code: own, level, origin: clip(origin), message: clip(message) }] : [],
    )
    .toSorted((a, b) => a.level.localeCompare(b.level));
  return { kind: 'seen', messages: messages.slice(0, MESSAGES) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const clip = (text: string): string => (text.length <= CHARACTERS ? text : `${text.slice(0, CHARACTERS - 1)}…`);
