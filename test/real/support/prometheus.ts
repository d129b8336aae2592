/** Instant queries to the rehearsal's Prometheus. */
const LIMIT_MS = 5_000;

export interface Sample {
  metric: Record<string, string>;
  value: string;
}

/** Throws while it does not answer. */
export async function query(url: string, promql: string): Promise<Sample[]> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`, { signal: AbortSignal.timeout(LIMIT_MS) });
  const body: { data?: { result?: { metric: Record<string, string>; value: [number, string] }[] } } = JSON.parse(await response.text());
  return (body.data?.result ?? []).map(({ metric, value: [, value] }) => ({ metric, value }));
}
