/** Which cluster: the key by which everything of one cluster is found. */

/** Identity of a cluster. Together with the account and region it is also the lock's key. */
export interface ClusterRef {
  name: string;
  account: string;
  region: string;
  /** Which cluster of this name it is (activities/clients/aws/identity). A run has it from its plan on: one that was made anew under the name is refused. */
  identity?: string;
  /** Only workers of this network reach it: what touches it goes to their task queue. Absent: every worker does. A run keeps what it began with. */
  network?: string;
}
