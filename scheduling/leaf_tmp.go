package scheduling

type leaf struct{}
type virtualJob struct{}
