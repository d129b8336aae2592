/** What istiods say of the proxies that are connected to them (`/debug/syncz`), and whether those of a wave are among them. Pure. */
import type { WaveVerdict } from './wave-health.ts';
import { agree } from '../../core/text.ts';

export interface ProxySync {
  /** "shop/web-7c9d-x" */
  pod: string;
  /** Configuration that was sent and not acknowledged: "clusters, routes". Absent: none. */
  stale?: string;
}

/** All istiods of one revision together: each knows its own proxies only. */
export type SyncReading = { kind: 'seen'; proxies: ProxySync[] } | { kind: 'blind'; why: string };

const NAMED = 5;

/** Proxies of these pods that are not connected, or not in sync; empty: all are. */
export function outOfSync(pods: readonly string[], proxies: readonly ProxySync[]): string[] {
  const known = new Map(proxies.map((proxy) => [proxy.pod, proxy]));
  return pods.flatMap((pod) => {
    const proxy = known.get(pod);
    if (proxy === undefined) return [`${pod}: not connected`];
    return proxy.stale === undefined ? [] : [`${pod}: STALE (${proxy.stale})`];
  });
}

/** Whoever names each proxy knows more than who counts them: where syncz was read it decides. */
export function withSync(
  counted: WaveVerdict,
  { reading, pods, revision }: { reading: SyncReading; pods: readonly string[]; revision: string },
): WaveVerdict {
  if (reading.kind === 'blind')
    return { ...counted, lines: [...counted.lines, `Which proxies are in sync was not read (syncz): ${reading.why}`] };
  if (pods.length === 0) return counted;
  const out = outOfSync(pods, reading.proxies);
  const lines = counted.kind === 'pass' ? counted.lines : [];
  if (out.length === 0) {
    const all = `${pods.length} ${agree(pods.length, 'proxy is', 'proxies are')} connected to istiod of ${revision} and in sync (syncz)`;
    return { kind: 'pass', lines: [...lines, all] };
  }
  const more = out.length > NAMED ? [`and ${out.length - NAMED} more`] : [];
  return {
    kind: 'inconclusive',
    lines: [`istiod of ${revision} does not have all proxies in sync (syncz):`, ...out.slice(0, NAMED), ...more, ...counted.lines],
  };
}
