variable "permissions" {
  description = "What `belay permissions --two-roles --cluster NAME …` prints for this account's clusters: file(\"permissions.json\")."
  type        = string

  validation {
    condition     = can(jsondecode(var.permissions)["belay-read"].Statement) || can(jsondecode(var.permissions).Statement)
    error_message = "permissions is not what belay permissions --two-roles prints: a JSON document with belay-read and, where something is changed, belay-write."
  }
}

variable "hub_role_arn" {
  description = "role_arn of ../hub: the one identity that may become these roles."
  type        = string

  validation {
    condition     = can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", var.hub_role_arn))
    error_message = "hub_role_arn is the ARN of a role: arn:aws:iam::123456789012:role/belay-worker."
  }
}

variable "clusters" {
  description = "This account's clusters, by the names that belay.yaml has for them."
  type        = map(object({ name = string, region = string }))
}

variable "external_id" {
  description = "externalId of belay.yaml: required of whoever assumes the roles. null: none."
  type        = string
  default     = null
}

variable "session_tags" {
  description = "sessionTags of belay.yaml: require its tag belay:access, so that CloudTrail has cluster, run and access of each call."
  type        = bool
  default     = true
}

variable "source_identity" {
  description = "As in ../hub."
  type        = bool
  default     = false
}

variable "read_role_name" {
  description = "role of belay.yaml."
  type        = string
  default     = "belay-read"
}

variable "write_role_name" {
  description = "writeRole of belay.yaml."
  type        = string
  default     = "belay-write"
}

variable "role_path" {
  description = "IAM path of both roles."
  type        = string
  default     = "/"
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
