output "role_arns" {
  description = "For belay.yaml: role is read, writeRole is write."
  value       = { for access, role in aws_iam_role.belay : access => role.arn }
}
