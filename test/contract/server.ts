/** What the contract suite is held against: a Kubernetes API server, real or not, that nobody else uses. */

export interface ContractServer {
  /** "1.34" */
  minor: string;
  /** https://127.0.0.1:PORT */
  url: string;
  /** The certificate authority: base64 of a PEM. */
  caData: string;
  /** Forgets all versions but the newest, as a real server does every five minutes. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** Bearer tokens that every server of the suite knows. */
export const TOKENS = {
  /** In the group system:masters. */
  admin: 'contract-admin',
  /** User "rita" in the group "readers", without any right but those that a case grants. */
  reader: 'contract-reader',
} as const;

export const READER = { name: 'rita', group: 'readers' };
