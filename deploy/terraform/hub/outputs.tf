output "role_arn" {
  description = "For ../account, and for serviceAccount.annotations of the chart with IAM roles for service accounts."
  value       = aws_iam_role.worker.arn
}
