/** What a run has asked others to change, with the manifests that it showed: kept for the record, within bounds. */

export interface AskedChange extends Ask {
  step: string;
  /** ISO 8601. */
  at: string;
  /** As people read it, with the manifest where one was shown. */
  text: string;
}

/** Of one text: Slack shows less. */
const TEXT = 4_000;
/** Of all texts: the record is one payload. */
const ALL = 64_000;

export class AskedChanges {
  readonly all: AskedChange[] = [];
  #size = 0;

  /** The same text is kept once: a Retry asks again. Beyond the bound only what was asked for is kept, and the text says so. */
  add({ text, ...asked }: AskedChange): void {
    const whole = text.length <= TEXT ? text : `${text.slice(0, TEXT)} (cut: ${text.length} characters)`;
    if (this.all.some((known) => known.step === asked.step && known.text === whole)) return;
    const fits = this.#size + whole.length <= ALL;
    if (fits) this.#size += whole.length;
    this.all.push({ ...asked, text: fits ? whole : `(left out: the record holds ${ALL} characters of such texts)` });
  }
}

/** A change that somebody else must make (merge, apply), also as machine-readable metadata on the message. */
export interface Ask {
  component:
    | 'karpenter'
    | 'karpenter-manifests'
    | 'node-class'
    | 'node-pool'
    | 'istio'
    | 'istio-agent'
    | 'istio-base'
    | 'istio-defaults'
    | 'istio-gateway'
    | 'istio-retire'
    | 'istio-tag'
    | 'istiod-replicas'
    | 'namespace'
    | 'control-plane'
    | 'control-plane-logs'
    | 'node-group'
    | 'add-on'
    | 'self-managed'
    | 'cluster-autoscaler';
  /** Deployment, revision, tag, node group, add-on: what is to change. */
  name: string;
  /** Version or revision to which. */
  version: string;
  managedBy: string;
}
