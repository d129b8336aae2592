/** One child process of helm or istioctl: its input, its output, its end by cancellation or by the clock. */
import { spawn } from 'node:child_process';
import { CancelledFailure } from '@temporalio/common';
import { failureOf } from '../../runtime/translate-errors.ts';

export interface HelmResult {
  stdout: string;
  stderr: string;
  code: number;
}

export interface HelmProcess {
  binary: string;
  args: string[];
  /** Its whole environment. */
  env: Record<string, string>;
  signal: AbortSignal;
  /** Standard input: values, which may be secret and so are never a file. */
  input?: string;
  limitMs: number;
  /** Default: helm. */
  tool?: 'helm' | 'istioctl';
}

const MISSING = { helm: 'put Helm 3.13 or newer on its PATH', istioctl: 'put istioctl on its PATH, or name it by BELAY_ISTIOCTL' };

/** The end of the output is what says how it ended. */
const OUTPUT_LIMIT = 200_000;
/** Helm notes a release as failed when it is asked to stop: it is given this long for that. */
const STOP_GRACE_MS = 10_000;

/**
 * Paths, proxies, repositories, and AWS for a kubeconfig that asks `aws eks get-token`. Not KUBECONFIG, HELM_KUBE* and HELM_NAMESPACE: what
 * lies around may belong to another cluster. Not HELM_DRIVER: releases are read from Secrets. No tokens of Slack or Temporal.
 */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TEMP|TMP|SystemRoot|XDG_\w+|AWS_\w+|DOCKER_CONFIG|SSL_CERT_(?:FILE|DIR)|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|HELM_(?:CACHE_HOME|CONFIG_HOME|DATA_HOME|PLUGINS|REGISTRY_CONFIG|REPOSITORY_CACHE|REPOSITORY_CONFIG))$/;

/** The part of the worker's environment that such a process gets. */
export function passedOn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined),
  );
}

/**
 * Resolves when the process has ended, whatever its code. Asked to stop (`signal`, `limitMs`) it is waited for, so that its credentials outlive it.
 * Throws CancelledFailure, Unavailable when the limit is over, and Configuration when there is no such binary.
 */
export function runProcess({ binary, args, env, signal, input = '', limitMs, tool = 'helm' }: HelmProcess): Promise<HelmResult> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CancelledFailure(`running ${tool}: cancelled`));
    const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    let stdout = '';
    let stderr = '';
    let stopped: Error | undefined;
    let killing: NodeJS.Timeout | undefined;
    const stop = (why: Error): void => {
      if (stopped !== undefined) return;
      stopped = why;
      child.kill('SIGTERM');
      killing = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    };
    const cancel = (): void => stop(new CancelledFailure(`running ${tool}: cancelled`));
    const limit = setTimeout(() => stop(failureOf('Unavailable', `running ${tool}: it did not end within ${limitMs / 1000} s`)), limitMs);
    signal.addEventListener('abort', cancel, { once: true });
    const over = (): void => {
      clearTimeout(limit);
      clearTimeout(killing);
      signal.removeEventListener('abort', cancel);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-OUTPUT_LIMIT)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-OUTPUT_LIMIT)));
    // Helm may end without having read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error) => {
      over();
      const missing = 'code' in error && error.code === 'ENOENT';
      reject(
        missing
          ? failureOf('Configuration', `running ${binary}: it is not installed on this worker; ${MISSING[tool]}`, {
              cause: error,
            })
          : error,
      );
    });
    child.on('close', (code) => {
      over();
      if (stopped === undefined) resolve({ stdout, stderr, code: code ?? 1 });
      else reject(stopped);
    });
  });
}
