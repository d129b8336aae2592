/**
 * Until when the versions of clusters are supported, by EKS's calendar. A version is what a rollback window says or, without one, what the newest record
 * has left the cluster at; somebody who upgrades a cluster without Belay is not seen before its next record.
 */
import { Gauge, type Registry } from 'prom-client';
import type { OpenWindow } from '../../../client/reading/guards.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { versionAfter } from '../../../domain/run/record/version-after.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { eksRelease } from '../../../domain/tables/eks-calendar.ts';
import type { RunSeriesOptions } from './run-series.ts';

export interface SupportSeries {
  recorded(reports: readonly UpgradeReport[]): void;
  /** The windows that are open now; those of the last look where Temporal does not answer: a version ages slowly. */
  saw(windows: readonly OpenWindow[]): void;
}

export function supportSeries(registry: Registry, { environmentOf }: Pick<RunSeriesOptions, 'environmentOf'>): SupportSeries {
  const ends = new Gauge({
    name: 'belay_support_ends_timestamp_seconds',
    help: "When EKS's support of a cluster's version ends (kind: standard, extended). Absent where Belay knows neither version nor date.",
    labelNames: ['cluster', 'version', 'kind'],
    registers: [registry],
  });
  const newest = new Map<string, { endedAt: string; cluster: ClusterRef; version: string | undefined }>();
  let open: readonly OpenWindow[] = [];
  const show = (): void => {
    ends.reset();
    const versions = new Map([...newest.values()].map(({ cluster, version }) => [keyOf(cluster), { cluster, version }]));
    for (const { cluster, at } of open) versions.set(keyOf(cluster), { cluster, version: at });
    for (const { cluster, version } of versions.values()) {
      const release = version === undefined ? undefined : eksRelease(version);
      // What is no version of the calendar becomes no label.
      if (release === undefined || environmentOf(cluster) === undefined) continue;
      const { minor, endOfStandardSupport: standard, endOfExtendedSupport: extended } = release;
      for (const [kind, end] of Object.entries({ standard, extended }))
        if (end !== undefined) ends.set({ cluster: cluster.name, version: minor, kind }, Date.parse(end) / 1000);
    }
  };
  return {
    recorded(reports) {
      for (const report of reports) {
        const { cluster, endedAt = '' } = report.status;
        const known = newest.get(keyOf(cluster));
        if (known === undefined || known.endedAt <= endedAt)
          newest.set(keyOf(cluster), { endedAt, cluster, version: versionAfter(report) });
      }
      show();
    },
    saw(windows) {
      open = windows;
      show();
    },
  };
}

const keyOf = ({ account, region, name }: ClusterRef): string => `${account}/${region}/${name}`;
