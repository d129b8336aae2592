variable "manifest" {
  description = "What `belay permissions --two-roles --format kubernetes --cluster NAME` prints: file(\"NAME.yaml\")."
  type        = string

  validation {
    condition     = strcontains(var.manifest, "kind: ClusterRole")
    error_message = "manifest is not what belay permissions --two-roles --format kubernetes prints."
  }
}
