package render

import (
	"helm.sh/helm/v4/pkg/chart/common"
)

// kubeVersion is the Kubernetes version that templates are told.
const kubeVersion = "v1.37.0"

// apis are the API versions and kinds that a Kubernetes 1.37 cluster serves by default (kube-apiserver 1.37,
// pkg/controlplane/instance.go), without the alpha and beta ones, which are off.
var apis = map[string][]string{
	"v1": {
		"ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PodTemplate",
		"ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount",
	},
	"admissionregistration.k8s.io/v1": {
		"MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io/v1":         {"CustomResourceDefinition"},
	"apiregistration.k8s.io/v1":       {"APIService"},
	"apps/v1":                         {"ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"},
	"authentication.k8s.io/v1":        {"SelfSubjectReview", "TokenReview"},
	"authorization.k8s.io/v1":         {"LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"},
	"autoscaling/v1":                  {"HorizontalPodAutoscaler"},
	"autoscaling/v2":                  {"HorizontalPodAutoscaler"},
	"batch/v1":                        {"CronJob", "Job"},
	"certificates.k8s.io/v1":          {"CertificateSigningRequest"},
	"coordination.k8s.io/v1":          {"Lease"},
	"discovery.k8s.io/v1":             {"EndpointSlice"},
	"events.k8s.io/v1":                {"Event"},
	"flowcontrol.apiserver.k8s.io/v1": {"FlowSchema", "PriorityLevelConfiguration"},
	"networking.k8s.io/v1":            {"IPAddress", "Ingress", "IngressClass", "NetworkPolicy", "ServiceCIDR"},
	"node.k8s.io/v1":                  {"RuntimeClass"},
	"policy/v1":                       {"PodDisruptionBudget"},
	"rbac.authorization.k8s.io/v1":    {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
	"resource.k8s.io/v1":              {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"},
	"scheduling.k8s.io/v1":            {"PriorityClass"},
	"storage.k8s.io/v1":               {"CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
}

func capabilities() *common.Capabilities {
	c := common.DefaultCapabilities.Copy()
	if v, err := common.ParseKubeVersion(kubeVersion); err == nil {
		c.KubeVersion = *v
	}
	c.APIVersions = nil
	for _, group := range sortedKeys(apis) {
		c.APIVersions = append(c.APIVersions, group)
		for _, kind := range apis[group] {
			c.APIVersions = append(c.APIVersions, group+"/"+kind)
		}
	}
	return c
}
