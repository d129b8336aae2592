variable "accounts" {
  description = "Ids of the accounts whose clusters Belay upgrades."
  type        = list(string)

  validation {
    condition     = length(var.accounts) > 0 && alltrue([for account in var.accounts : can(regex("^[0-9]{12}$", account))])
    error_message = "Each of accounts is an account id of twelve digits, in quotes."
  }
}

variable "name" {
  description = "Name of the worker's role."
  type        = string
  default     = "belay-worker"
}

variable "role_names" {
  description = "Names of the roles that ../account makes in each account."
  type        = list(string)
  default     = ["belay-read", "belay-write"]
}

variable "role_path" {
  description = "IAM path of all these roles."
  type        = string
  default     = "/"
}

variable "namespace" {
  description = "Kubernetes namespace of the worker."
  type        = string
  default     = "belay"
}

variable "service_account" {
  description = "The chart's service account: RELEASE-worker."
  type        = string
  default     = "belay-worker"
}

variable "pod_identity_cluster" {
  description = "EKS cluster that the worker runs on, for EKS Pod Identity. null: associate the role otherwise."
  type        = string
  default     = null
}

variable "oidc" {
  description = "IAM roles for service accounts instead of Pod Identity: ARN of the cluster's OIDC provider, and its issuer without https://."
  type        = object({ provider_arn = string, issuer = string })
  default     = null

  validation {
    condition     = var.oidc == null || !startswith(try(var.oidc.issuer, ""), "https://")
    error_message = "oidc.issuer is written without https://, as IAM has it in the names of its condition keys."
  }
}

variable "source_identity" {
  description = "Allow sts:SetSourceIdentity, which STS asks for where the worker's own session has a source identity: it is kept along a chain of roles."
  type        = bool
  default     = false
}

variable "permissions_boundary" {
  description = "ARN of a permissions boundary."
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of what is made here."
  type        = map(string)
  default     = {}
}
