/** What the EKS stand-in knows: clusters' AWS side. The wire format lives in the server. Times are epoch milliseconds of world time. */

export interface EksUpdate {
  id: string;
  resource: { kind: 'cluster' } | { kind: 'node-group'; name: string } | { kind: 'add-on'; name: string };
  type: string;
  status: 'InProgress' | 'Failed' | 'Cancelled' | 'Successful';
  params: { type: string; value: string }[];
  createdAtMs: number;
  endedAtMs?: number;
  errors: { errorCode: string; errorMessage: string; resourceIds: string[] }[];
  token?: string;
  /** Only node groups: evict in spite of PodDisruptionBudgets. */
  force?: boolean;
  /** The request that made it, canonical: a replay of the token with another one is refused. */
  request?: string;
}

export interface EksNodeGroup {
  name: string;
  version: string;
  releaseVersion: string;
  amiType: string;
  status: string;
  desiredSize: number;
  minSize: number;
  maxSize: number;
  maxUnavailable?: number;
  maxUnavailablePercentage?: number;
  labels: Record<string, string>;
  taints: { key: string; value?: string; effect: string }[];
  health: { code: string; message: string; resourceIds: string[] }[];
  launchTemplate?: { id?: string; name?: string; version?: string };
  createdAtMs: number;
}

export interface EksAddOn {
  name: string;
  version: string;
  status: string;
  health: { code: string; message: string; resourceIds: string[] }[];
  configurationValues?: string;
  createdAtMs: number;
}

export interface EksInsight {
  id: string;
  name: string;
  category: 'UPGRADE_READINESS' | 'ROLLBACK_READINESS';
  kubernetesVersion: string;
  status: 'PASSING' | 'WARNING' | 'ERROR' | 'UNKNOWN';
  reason: string;
  recommendation: string;
  lastRefreshMs: number;
  /** Kubernetes resources or AWS resources behind a status that is not PASSING. */
  resources?: { status: string; kubernetesResourceUri?: string; arn?: string }[];
  addOnCompatibility?: { name: string; compatibleVersions: string[] }[];
}

export interface EksState {
  cluster: {
    name: string;
    account: string;
    region: string;
    version: string;
    platformVersion: string;
    status: string;
    endpoint: string;
    caData: string;
    supportType: 'STANDARD' | 'EXTENDED';
    health: { code: string; message: string; resourceIds: string[] }[];
    createdAtMs: number;
  };
  nodeGroups: EksNodeGroup[];
  addOns: EksAddOn[];
  updates: EksUpdate[];
  insights: EksInsight[];
  insightsRefresh?: { startedMs: number; endsMs: number };
  /** Versions offered, newest first, with support dates (ISO). */
  versions: { version: string; platformVersion: string; releaseDate: string; endOfStandardSupport: string; endOfExtendedSupport: string }[];
  /** Add-on versions offered per minor, newest first. */
  addOnCatalogue: Record<string, { version: string; minors: string[]; defaultFor: string[] }[]>;
}
