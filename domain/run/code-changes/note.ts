/** One thing that stands where code is kept and does not hold any more, and where in the cluster one can see whether it has been merged. */

export interface IacNote {
  /** "HelmRelease karpenter/karpenter" */
  object: string;
  /** What its file says until it is changed. */
  says: string;
  /** What it should say, ready to paste. */
  lines: string;
  /** Absent: YAML. */
  language?: 'hcl';
  /** Nothing in the cluster says that it is kept as code: "where Terraform declares it". */
  when?: string;
  /** The fields that Belay has changed; none: not to be seen through the Kubernetes API. */
  fields?: IacField[];
}

export interface IacField {
  object: { apiVersion: string; plural: string; namespace?: string; name: string };
  /** "spec", "chart", "spec", "version" */
  path: string[];
  value: unknown;
  /** Of an Application with several sources: whose revision it is. */
  chart?: string;
}

/** Known by `key`: a later step's change of the same thing takes the place of an earlier one's. */
export interface KeyedNote extends IacNote {
  key: string;
}
