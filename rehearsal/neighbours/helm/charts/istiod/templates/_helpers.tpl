{{- define "suffix" -}}{{- with .Values.revision }}-{{ . }}{{- end }}{{- end }}
{{- define "rev" -}}{{ .Values.revision | default "default" }}{{- end }}
{{- define "labels" -}}
app: istiod
istio.io/rev: {{ include "rev" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
operator.istio.io/component: Pilot
{{- end }}
{{- define "client" -}}
service:
  name: istiod{{ include "suffix" . }}
  namespace: {{ .Release.Namespace }}
  path: /inject
  port: 443
{{- end }}
{{- define "webhooks" -}}
{{- $root := .root }}
{{- range $kind := list "namespace" "object" }}
- name: rev.{{ $kind }}.sidecar-injector.istio.io
  failurePolicy: Fail
  sideEffects: None
  reinvocationPolicy: Never
  admissionReviewVersions: [v1]
  clientConfig: {{- include "client" $root | nindent 4 }}
  rules:
    - operations: [CREATE]
      apiGroups: [""]
      apiVersions: [v1]
      resources: [pods]
  namespaceSelector:
    matchExpressions:
      - { key: istio.io/rev, {{ if eq $kind "namespace" }}operator: In, values: [{{ $.selects | quote }}]{{ else }}operator: DoesNotExist{{ end }} }
      - { key: istio-injection, operator: DoesNotExist }
  objectSelector:
    matchExpressions:
      - { key: sidecar.istio.io/inject, operator: NotIn, values: ["false"] }
      {{- if eq $kind "object" }}
      - { key: istio.io/rev, operator: In, values: [{{ $.selects | quote }}] }
      {{- end }}
{{- end }}
{{- end }}
